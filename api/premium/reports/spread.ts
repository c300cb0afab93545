import type { SpreadBody } from '../../../engine/contract/index.ts';
import { quantile } from '../../quantile.ts';

/** The distribution of finite values from 0 up; null without values. Sorts `values` in place. */
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

/** Divides before adding, so that the sum does not overflow a double. */
function meanOf(values: Float64Array): number {
  let mean = 0;
  for (const value of values) mean += value / values.length;
  return mean;
}

/** Bins between powers of ten, without empty ones. Zeros are in a bin from 0 to the lowest power that occurs. */
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

/** The greatest n with 10^n at most the value. Corrects the rounding of the logarithm next to a power. */
function exponentOf(value: number): number {
  const about = Math.floor(Math.log10(value));
  if (powerOfTen(about) > value) return about - 1;
  return Number(`1e${about + 1}`) <= value ? about + 1 : about;
}

/** Clamped to the smallest and the largest double, so that no bin limit is 0 or infinite. */
function powerOfTen(exponent: number): number {
  return Math.min(Math.max(Number(`1e${exponent}`), Number.MIN_VALUE), Number.MAX_VALUE);
}
