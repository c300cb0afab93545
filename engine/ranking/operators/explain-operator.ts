import { COUNT_FIELDS } from '../../contract/signing/index.ts';
import { WINDOWS } from '../../contract/windows.ts';
import { MEASURES, maskOf, RULES, WINDOW_NUMBERS, windowNumber } from '../../integrity/index.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { type Evidence, evidenceOf } from '../core/evidence.ts';
import { type OlderDays, readSamples, type UsageSample } from '../core/operator-state/index.ts';
import { scoreRecord } from '../core/score-record.ts';
import { PRINTS } from '../core/series-sketch.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import type { OperatorRecord } from '../types.ts';

/** The rules that an operator crosses on a board version. */
export interface Explanation extends OperatorRecord {
  readonly board_version: number;
  readonly methodology: number;
  readonly evidence: readonly Evidence[];
}

/** Explains an operator's record under the methodology of the current board; null when there is no such operator. */
export async function explainOperator(context: RankingContext, wanted: string): Promise<Explanation | null> {
  const [summary, manifest] = await Promise.all([
    context.stores.operators.byCodename(wanted),
    context.stores.board.read(),
  ]);
  if (summary === null || summary.codename === '' || manifest === null) return null;
  const { operator, codename, displayName, listed } = summary;
  const { version, methodology } = manifest;
  const rules = methodologyOf(context, manifest);
  const evidence = evidenceOf(summary, rules);
  return { operator, codename, displayName, listed, board_version: version, methodology, evidence };
}

/** What an operator's record comes to at present. */
export interface Measured {
  /** Its counts of all time, as one text. */
  readonly counts: string;
  /** The greatest value that a rule measures in some window; null where it measures nothing. Shared growths are at most 8. */
  readonly of: (rule: string) => number | null;
}

export async function measuredOf(context: RankingContext, operator: number): Promise<Measured | null> {
  const [[summary], manifest] = await Promise.all([
    context.stores.operators.summaries([operator]),
    context.stores.board.read(),
  ]);
  if (summary === undefined || manifest === null) return null;
  const yields = scoreRecord(summary, methodologyOf(context, manifest)).map(({ score }) => score?.yield_ ?? 0);
  const { totals } = summary;
  const counts = COUNT_FIELDS.map((field) => windowNumber(totals, WINDOWS.indexOf('all_time'), field)).join(' ');
  return {
    counts,
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

/** What an export has for recomputing an operator's evidence. */
export interface ExportedUsage {
  /** The hour for which the totals hold. */
  readonly hour: number;
  readonly samples: readonly UsageSample[];
  readonly older: readonly OlderDays[];
  /** Names of the rules that a comparison or a review found. */
  readonly findings: readonly string[];
  /** As in `Assertions`. */
  readonly waived: readonly number[];
}

/** Recomputes the evidence from exported data: the same as `explainOperator` has for the record at that hour. */
export function explainUsage(
  { hour, samples, older, findings, waived }: ExportedUsage,
  methodology: Methodology,
): Evidence[] {
  const assertions = { findings: maskOf(({ name }) => findings.includes(name)), waived: Float64Array.from(waived) };
  const { totals } = readSamples(samples, older, hour);
  return evidenceOf({ totals, assertions }, methodology);
}
