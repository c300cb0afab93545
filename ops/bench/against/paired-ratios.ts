import { median } from '../frame/statistics.ts';

/** The fewest pairs for which the interval of the median is useful. */
export const MIN_PAIRS = 9;

const MIN_COVERAGE = 0.95;

/**
 * The median of paired ratios, and a confidence interval of the true median. `coverage` is the probability that the interval
 * contains it, for any distribution. The interval is that of the sign test: between the k-th ratio from below and the k-th
 * from above, with the largest k for which at least 95 % of all such intervals contain the median. 9 pairs: the second and
 * the eighth, 96.1 %.
 *
 * @throws for fewer than nine pairs
 */
export function pairedRatio(ratios: readonly number[]) {
  const pairs = ratios.length;
  if (pairs < MIN_PAIRS) throw new Error(`${pairs} pairs are too few: at least ${MIN_PAIRS}`);
  const sorted = ratios.toSorted((one, other) => one - other);
  // Probability of fewer than k heads in `pairs` tosses.
  let below = 0;
  let exactly = 0.5 ** pairs;
  let k = 0;
  while (1 - 2 * (below + exactly) >= MIN_COVERAGE) {
    below += exactly;
    exactly *= (pairs - k) / (k + 1);
    k += 1;
  }
  return { median: median(ratios), low: sorted[k - 1]!, high: sorted[pairs - k]!, coverage: 1 - 2 * below };
}
