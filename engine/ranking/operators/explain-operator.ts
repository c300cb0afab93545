import { maskOf } from '../../integrity/index.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { type Evidence, evidenceOf } from '../core/evidence.ts';
import { readSamples, type UsageSample } from '../core/operator-state/index.ts';
import { STREAM_RULES, streamFindings } from '../core/stream-findings.ts';
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
  const showsStreams = (summary.assertions.findings & STREAM_RULES) !== 0;
  const state = showsStreams ? (await context.stores.operators.operatorStates([operator])).get(operator) : undefined;
  const evidence = evidenceOf(summary, rules, state && streamFindings(state.operatorState, rules));
  return { operator, codename, displayName, listed, board_version: version, methodology, evidence };
}

/** What an export has for recomputing an operator's evidence. */
export interface ExportedUsage {
  /** The hour for which the totals hold. */
  readonly hour: number;
  readonly samples: readonly UsageSample[];
  /** Names of the rules that a comparison or a review found, and of those that a review waived. */
  readonly findings: readonly string[];
  readonly cleared: readonly string[];
}

/** Recomputes the evidence from exported data: the same as `explainOperator` has for the record at that hour. */
export function explainUsage(
  { hour, samples, findings, cleared }: ExportedUsage,
  methodology: Methodology,
): Evidence[] {
  const assertions = { findings: maskOfNames(findings), cleared: maskOfNames(cleared) };
  const state = readSamples(samples, hour);
  return evidenceOf({ totals: state.totals, assertions }, methodology, streamFindings(state, methodology));
}

function maskOfNames(names: readonly string[]): number {
  return maskOf(({ name }) => names.includes(name));
}
