import { COUNT_FIELDS, type Counts, countsAt } from '../../contract/signing/index.ts';
import { WINDOWS } from '../../contract/windows.ts';
import { type Score, scoreOf } from '../core/score.ts';
import type { Methodology } from '../methodologies/methodology.ts';

/** The four counts of one window in an operator's packed totals. */
export function countsOf(totals: Float64Array, window: number): Counts {
  return countsAt(totals, window * COUNT_FIELDS.length);
}

/** An operator's score in each window (WINDOWS); null where the totals cannot be ranked. */
export function windowScores(totals: Float64Array, methodology: Methodology): (Score | null)[] {
  return WINDOWS.map((_, window) => scoreOf(countsOf(totals, window), methodology));
}
