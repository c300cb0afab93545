import type { SpreadBody } from '../../../engine/contract/index.ts';
import { quantile } from '../../analysis/quantile.ts';

/** How finite values from 0 up are spread; null when there are none. Puts `values` in order. */
export function spreadOf(values: Float64Array): SpreadBody | null {
  if (values.length === 0) return null;
  values.sort();
  const at = (share: number): number => quantile(values, share);
  return {
    least: values[0]!,
    greatest: values[values.length - 1]!,
    mean: meanOf(values),
    quantiles: {
      p01: at(0.01),
      p05: at(0.05),
      p10: at(0.1),
      p25: at(0.25),
      p50: at(0.5),
      p75: at(0.75),
      p90: at(0.9),
      p95: at(0.95),
      p99: at(0.99),
    },
    histogram: histogramOf(values),
  };
}

/** Divides before it adds, so that no sum is larger than a double. */
function meanOf(values: Float64Array): number {
  let mean = 0;
  for (const value of values) mean += value / values.length;
  return mean;
}

/** Bins between powers of ten, those without operators left out. Zeros are in a bin from 0 to the least power there is. */
function histogramOf(sorted: Float64Array): SpreadBody['histogram'] {
  const bins: SpreadBody['histogram'] = [];
  const firstAboveZero = sorted.findIndex((value) => value > 0);
  const zeros = firstAboveZero < 0 ? sorted.length : firstAboveZero;
  if (zeros > 0) {
    const below = firstAboveZero < 0 ? 1 : powerOfTen(exponentOf(sorted[firstAboveZero]!));
    bins.push({ from: 0, below, operators: zeros });
  }
  let exponent = Number.NaN;
  for (let index = zeros; index < sorted.length; index += 1) {
    const here = exponentOf(sorted[index]!);
    if (here !== exponent) bins.push({ from: powerOfTen(here), below: powerOfTen(here + 1), operators: 0 });
    exponent = here;
    bins.at(-1)!.operators += 1;
  }
  return bins;
}

/** The greatest n with 10^n at most the value. The logarithm of a value next to a power may be rounded to the other side. */
function exponentOf(value: number): number {
  const about = Math.floor(Math.log10(value));
  if (powerOfTen(about) > value) return about - 1;
  return powerOfTen(about + 1) <= value ? about + 1 : about;
}

/** Exact where a double holds it; the powers beyond are the least and the greatest double, so that no bin is 0 or infinite. */
function powerOfTen(exponent: number): number {
  return Math.min(Math.max(Number(`1e${exponent}`), Number.MIN_VALUE), Number.MAX_VALUE);
}
