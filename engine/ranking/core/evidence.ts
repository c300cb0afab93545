import { WINDOWS, type Window } from '../../contract/windows.ts';
import {
  MEASURES,
  type Measure,
  type Rule,
  rulesIn,
  type Severity,
  WINDOW_NUMBERS,
  windowNumber,
} from '../../integrity/index.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { judgeOf, type ScoredRecord, scoreRecord } from './score-record.ts';

/** A rule that an operator's record crosses in one window. */
export interface Evidence {
  readonly rule: string;
  readonly severity: Severity;
  readonly window: Window;
  /** Null for findings that are not measured. */
  readonly measure: Measure | null;
  /** Null for findings that are not measured, and for tokens. */
  readonly measured: number | null;
  readonly bound: number | null;
  /** `measured` over `bound`; of tokens rounded, because counts are not public. */
  readonly ratio: number | null;
}

/** The rules that a record crosses under a methodology, in each window: exactly those that its rows are judged by. */
export function evidenceOf(record: ScoredRecord, methodology: Methodology): Evidence[] {
  return scoreRecord(record, methodology).flatMap(({ mask }, window) =>
    rulesIn(mask).map((rule) => ({
      rule: rule.name,
      severity: rule.severity,
      window: WINDOWS[window]!,
      measure: rule.measure,
      ...crossing(rule, record.totals, window, methodology),
    })),
  );
}

const UNMEASURED = { measured: null, bound: null, ratio: null };

function crossing({ measure }: Rule, totals: Float64Array, window: number, methodology: Methodology) {
  const bound = measure && judgeOf(methodology).boundOf(measure, windowNumber(totals, window, 'source'));
  if (bound === null || measure === null) return UNMEASURED;
  const measured = MEASURES[measure].of(totals, window * WINDOW_NUMBERS);
  const ratio = measured / bound;
  return MEASURES[measure].inTokens
    ? { measured: null, bound, ratio: Number(ratio.toPrecision(2)) }
    : { measured, bound, ratio };
}
