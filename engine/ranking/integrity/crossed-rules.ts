import { statisticsOf, WINDOW_NUMBERS } from '../../integrity/index.ts';
import { maskReader } from '../core/score-record.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { TOTALS_NUMBERS, type TotalsBatch } from '../storage/totals-batch.ts';

/** The mask of the rules that each operator of a batch crosses in some window. */
export function crossedRules({ totals, findings, cleared }: TotalsBatch, methodology: Methodology): Int32Array {
  const maskOf = maskReader(methodology);
  const statistics = statisticsOf(totals);
  return findings.map((asserted, index) => {
    let mask = 0;
    for (let from = index * TOTALS_NUMBERS; from < (index + 1) * TOTALS_NUMBERS; from += WINDOW_NUMBERS) {
      mask |= maskOf(totals, statistics, from, asserted, cleared[index]!);
    }
    return mask;
  });
}
