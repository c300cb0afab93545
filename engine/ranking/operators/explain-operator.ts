import { COUNT_FIELDS } from '../../contract/signing/index.ts';
import { WINDOWS } from '../../contract/windows.ts';
import {
  MEASURES,
  type Measured,
  maskOf,
  RULES,
  rulesIn,
  WAIVED_TIMES,
  WINDOW_NUMBERS,
  windowNumber,
} from '../../integrity/index.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { type Evidence, evidenceOf } from '../core/evidence.ts';
import { readSamples } from '../core/operator-state/index.ts';
import { scoreRecord } from '../core/score-record.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import type { ExportedOperator } from './export-operator.ts';

/** How an operator's record is judged under the methodology of the current board; null when there is no such operator, or no board. */
export async function explainOperator(context: RankingContext, wanted: string) {
  const { stores } = context;
  const [summary, manifest] = await Promise.all([stores.operators.byCodename(wanted), stores.board.read()]);
  if (summary === null || summary.codename === '' || manifest === null) return null;
  const { operator, codename, listed, assertions } = summary;
  const { version: board_version, methodology: number } = manifest;
  const methodology = methodologyOf(context, manifest);
  return {
    operator,
    codename,
    /** False: it is on no board. */
    listed,
    board_version,
    methodology: number,
    /** Up to which Yield its rows are accepted; 0 for none. */
    accepted: assertions.waived[0]!,
    /** The windows with a Yield, with the rules that each crosses. */
    windows: scoreRecord(summary, methodology).flatMap(({ score, row, mask, need, vouching }, window) => {
      if (score === null || row === null) return [];
      const rules = rulesIn(mask).map(({ name }) => name);
      return [{ window: WINDOWS[window]!, yield_: score.yield_, row, rules, need, vouching }];
    }),
    evidence: evidenceOf(summary, methodology),
  };
}

export type Explanation = NonNullable<Awaited<ReturnType<typeof explainOperator>>>;

/** What an operator's record comes to at present; nothing when there is no such operator, or no board. */
export async function measuredOf(context: RankingContext, operator: number): Promise<Measured> {
  const { stores } = context;
  const [[summary], manifest] = await Promise.all([stores.operators.summaries([operator]), stores.board.read()]);
  if (summary === undefined || manifest === null) return { counts: '', covered: () => [] };
  const rivals = await stores.seriesSketches.rivalsOf(operator);
  const yields = scoreRecord(summary, methodologyOf(context, manifest)).map(({ score }) => score?.yield_ ?? 0);
  const { totals } = summary;
  return {
    counts: COUNT_FIELDS.map((field) => windowNumber(totals, WINDOWS.indexOf('all_time'), field)).join(' '),
    covered(rule) {
      if (rule === 'identical-series') return rivals;
      const { measure } = RULES.find(({ name }) => name === rule) ?? { measure: null };
      if (measure === null) return [];
      const { inTokens, of } = MEASURES[measure];
      // Of Yields among those that can be ranked.
      const all = measure === 'yield' ? yields : WINDOWS.map((_, window) => of(totals, window * WINDOW_NUMBERS));
      // As far as people see it.
      return [Number((WAIVED_TIMES * Math.max(...all)).toPrecision(inTokens ? 2 : 4))];
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
