import { COUNT_FIELDS } from '../../contract/signing/index.ts';
import { WINDOWS, type Window } from '../../contract/windows.ts';
import {
  MEASURES,
  type Measured,
  maskOf,
  RULES,
  rulesIn,
  WINDOW_NUMBERS,
  windowNumber,
} from '../../integrity/index.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { type Evidence, evidenceOf } from '../core/evidence.ts';
import { readSamples } from '../core/operator-state/index.ts';
import { scoreRecord, type WindowResult } from '../core/score-record.ts';
import { PRINTS } from '../core/series-sketch.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import type { ExportedOperator } from './export-operator.ts';

/** How a window of an operator is judged. */
export interface WindowJudgement extends Pick<WindowResult, 'need' | 'vouching'> {
  readonly window: Window;
  readonly yield_: number;
  readonly row: NonNullable<WindowResult['row']>;
  /** The rules that it crosses. */
  readonly rules: readonly string[];
}

/** How an operator is judged under the methodology of the current board. */
export interface Explanation {
  readonly operator: number;
  readonly codename: string;
  /** False: it is on no board. */
  readonly listed: boolean;
  readonly board_version: number;
  readonly methodology: number;
  /** Up to which Yield its rows are accepted; 0 for none. */
  readonly accepted: number;
  /** The windows with a Yield. */
  readonly windows: readonly WindowJudgement[];
  readonly evidence: readonly Evidence[];
}

/** Explains how an operator's record is judged; null when there is no such operator, or no board. */
export async function explainOperator(context: RankingContext, wanted: string): Promise<Explanation | null> {
  const { stores } = context;
  const [summary, manifest] = await Promise.all([stores.operators.byCodename(wanted), stores.board.read()]);
  if (summary === null || summary.codename === '' || manifest === null) return null;
  const { operator, codename, listed, assertions } = summary;
  const { version: board_version, methodology: number } = manifest;
  const methodology = methodologyOf(context, manifest);
  const windows = scoreRecord(summary, methodology).flatMap(({ score, row, mask, need, vouching }, window) => {
    if (score === null || row === null) return [];
    const rules = rulesIn(mask).map(({ name }) => name);
    return [{ window: WINDOWS[window]!, yield_: score.yield_, row, rules, need, vouching }];
  });
  const judged = { accepted: assertions.waived[0]!, windows, evidence: evidenceOf(summary, methodology) };
  return { operator, codename, listed, board_version, methodology: number, ...judged };
}

/** What an operator's record comes to at present; null when there is no such operator, or no board. */
export async function measuredOf(context: RankingContext, operator: number): Promise<Measured | null> {
  const { stores } = context;
  const [[summary], manifest] = await Promise.all([stores.operators.summaries([operator]), stores.board.read()]);
  if (summary === undefined || manifest === null) return null;
  const yields = scoreRecord(summary, methodologyOf(context, manifest)).map(({ score }) => score?.yield_ ?? 0);
  const { totals } = summary;
  return {
    counts: COUNT_FIELDS.map((field) => windowNumber(totals, WINDOWS.indexOf('all_time'), field)).join(' '),
    of(rule) {
      const { measure } = RULES.find(({ name }) => name === rule) ?? { measure: null };
      if (rule === 'identical-series') return PRINTS;
      if (measure === null) return null;
      // Of Yields among those that can be ranked.
      if (measure === 'yield') return Math.max(...yields);
      return Math.max(...WINDOWS.map((_, window) => MEASURES[measure].of(totals, window * WINDOW_NUMBERS)));
    },
  };
}

/** Recomputes the evidence from exported data: the same as `explainOperator` has for the record at that hour. */
export function explainUsage(
  { hour, samples, older, findings, waived }: ExportedOperator['usage'],
  methodology: Methodology,
): Evidence[] {
  const assertions = { findings: maskOf(({ name }) => findings.includes(name)), waived: Float64Array.from(waived) };
  const { totals } = readSamples(samples, older, hour);
  return evidenceOf({ totals, assertions }, methodology);
}
