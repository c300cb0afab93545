import { type Counts, countsAt } from '../../contract/signing/index.ts';
import { WINDOW_NUMBERS } from '../../integrity/index.ts';

/** The four counts of one window in an operator's packed totals. */
export function countsOf(totals: Float64Array, window: number): Counts {
  return countsAt(totals, window * WINDOW_NUMBERS);
}
