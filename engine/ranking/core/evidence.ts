import { WINDOWS, type Window } from '../../contract/windows.ts';
import {
  boundFor,
  COUNTING_MEASURES,
  type Measure,
  measureOf,
  RULE_SETS,
  type Rule,
  rulesIn,
  type Severity,
  SOURCES,
  type StreamMeasure,
  statisticAt,
  statisticsOf,
} from '../../integrity/index.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { type ScoredRecord, scoreRecord } from './score-record.ts';
import type { StreamCrossing } from './stream-findings.ts';

/** A rule that an operator's record crosses in one window. */
export interface Evidence {
  readonly rule: string;
  readonly severity: Severity;
  readonly window: Window;
  /** The stream's, or that with most tokens in the window; empty for platforms without a separate bound. */
  readonly platform: string;
  /** Null for findings that are not measured. */
  readonly measure: Measure | StreamMeasure | null;
  /** Null for findings that are not measured, for tokens, and where an exclusion outlasts the samples that showed it. */
  readonly measured: number | null;
  readonly bound: number | null;
  /** `measured` over `bound`; of tokens rounded, because counts are not public. */
  readonly ratio: number | null;
}

/**
 * The rules that a record crosses under a methodology, in each window: exactly those of the masks that boards are made from.
 * `streams`: what its streams cross, by rule.
 */
export function evidenceOf(
  record: ScoredRecord,
  methodology: Methodology,
  streams: ReadonlyMap<string, StreamCrossing> = new Map(),
): Evidence[] {
  return scoreRecord(record, methodology).flatMap(({ mask }, window) =>
    rulesIn(mask).map((rule) => ({
      rule: rule.name,
      severity: rule.severity,
      window: WINDOWS[window]!,
      platform: platformAt(record.totals, window),
      measure: rule.measure,
      ...(streams.get(rule.name) ?? crossing(rule, record.totals, window, methodology)),
    })),
  );
}

const UNMEASURED = { measured: null, bound: null, ratio: null };

function crossing({ name, measure }: Rule, totals: Float64Array, window: number, { rules }: Methodology) {
  const set = rules === null ? undefined : RULE_SETS.get(rules);
  const found = set?.bounds.find(({ rule }) => rule === name);
  if (found === undefined || measure === null) return UNMEASURED;
  const measured = measureOf(measure, totals, statisticsOf(totals), window);
  const bound = boundFor(found, platformAt(totals, window));
  if (measured <= bound) return UNMEASURED;
  const ratio = measured / bound;
  return COUNTING_MEASURES.has(measure)
    ? { measured: null, bound, ratio: Number(ratio.toPrecision(2)) }
    : { measured, bound, ratio };
}

function platformAt(totals: Float64Array, window: number): string {
  return SOURCES[statisticsOf(totals)[statisticAt(window, 'source')]!]!.platform;
}
