import type { Methodology } from '../../../config/methodologies/methodology.ts';
import { WINDOW_COUNT } from '../core/board/index.ts';
import { scoreOf } from '../core/score.ts';
import type { OperatorTotals } from '../mongo/operator-store.ts';
import { countsOf } from '../read/window-scores.ts';

/** Writes an operator's Yield in each window into `yields` from `at` on; NaN where it is not ranked. */
export function writeYields(
  { listed, totals }: OperatorTotals,
  methodology: Methodology,
  yields: Float64Array,
  at: number,
): void {
  for (let window = 0; window < WINDOW_COUNT; window++) {
    const score = listed ? scoreOf(countsOf(totals, window), methodology) : null;
    yields[at + window] = score === null ? Number.NaN : score.yield_;
  }
}
