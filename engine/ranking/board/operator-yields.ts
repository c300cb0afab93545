import { WINDOW_COUNT } from '../core/board/index.ts';
import type { YieldOf } from '../core/score.ts';
import { TOTALS_NUMBERS, type TotalsBatch } from '../storage/totals-batch.ts';

const FIELD_COUNT = TOTALS_NUMBERS / WINDOW_COUNT;

/** Writes the Yields of the operator at `index`, one per window, into `yields` at `at`; NaN where it is unranked. */
export function writeYields(
  { listed, totals }: TotalsBatch,
  index: number,
  yieldOf: YieldOf,
  yields: Float64Array,
  at: number,
): void {
  for (let window = 0; window < WINDOW_COUNT; window++) {
    const from = index * TOTALS_NUMBERS + window * FIELD_COUNT;
    yields[at + window] =
      listed[index] === 1
        ? yieldOf(totals[from]!, totals[from + 1]!, totals[from + 2]!, totals[from + 3]!)
        : Number.NaN;
  }
}
