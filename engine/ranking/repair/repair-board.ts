import { HOUR_MS } from '../../../config/units.ts';
import { createFirstBoard } from '../board/create-first-board.ts';
import { rebuildBoard } from '../board/rebuild-board.ts';
import type { RankingContext } from '../context.ts';
import { dayOf, dayOfReceipt, hourOf, samplesOf } from '../core/operator-state/index.ts';
import { FIRST_METHODOLOGY } from '../methodologies/index.ts';
import type { Finding } from './findings.ts';
import { recomputeOperators } from './recompute-operators.ts';

/** Counts of what was repaired. */
export interface Repair {
  readonly rollups: number;
  readonly samples: number;
  /** Kept boards that were removed, because they cannot be recomputed. */
  readonly history: number;
  /** Whether the board was rebuilt from the records. */
  readonly rebuilt: boolean;
  /** Whether a run was started that makes the boards of platforms again. */
  readonly platforms: boolean;
}

/**
 * Repairs findings: rollups from samples, samples and totals from the log, the board from the records by `rebuildBoard`, boards of
 * platforms by the next run.
 * Calls `onDone` with the number of recomputed operators after each round. Throws when concurrent commits overtook every
 * attempt.
 */
export async function repairBoard(
  context: RankingContext,
  findings: readonly Finding[],
  onDone?: (operators: number) => void,
): Promise<Repair> {
  const of = (part: Finding['part']) => findings.filter((finding) => finding.part === part);
  for (const { operator } of of('rollup')) if (operator !== undefined) await rebuildRollup(context, operator);
  await recomputeOperators(
    context,
    [...of('sample'), ...of('rollup')].flatMap(({ operator }) => operator ?? []),
    onDone,
  );
  // Remove damaged history first: building a board reads kept boards for its movements.
  let history = await dropHistory(context, of('history'));
  const board = findings.filter(({ part }) => !['sample', 'rollup', 'history', 'platforms'].includes(part));
  if (board.length > 0) await recreateBoard(context);
  // The former base run may also be a kept board, which then is damaged too.
  history += await dropHistory(context, [...of('base'), ...of('page')]);
  const platforms = of('platforms').length > 0;
  if (platforms) await startPlatforms(context);
  return { rollups: of('rollup').length, samples: of('sample').length, history, rebuilt: board.length > 0, platforms };
}

/** Makes the next `rank-platforms` begin a run. */
async function startPlatforms({ stores }: RankingContext): Promise<void> {
  for (;;) {
    const manifest = await stores.board.read();
    if (manifest?.platforms === undefined) return;
    const platforms = { ...manifest.platforms, commits: -1 };
    if ((await stores.board.advance(manifest, { platforms })) !== null) return;
  }
}

/** Rebuilds a rollup from the operator's samples older than the log. */
async function rebuildRollup({ stores }: RankingContext, operator: number): Promise<void> {
  const until = await stores.rollups.until(operator);
  const operatorState = (await stores.operators.operatorStates([operator])).get(operator)?.operatorState;
  if (operatorState === undefined) return;
  const day = dayOf(hourOf(until));
  const facts = samplesOf(operatorState).filter(({ hour, receipt }) =>
    receipt === undefined ? hour * HOUR_MS < until : dayOfReceipt(receipt) < day,
  );
  await stores.rollups.overwrite(operator, { until, facts, older: operatorState.older });
}

/** Removes damaged boards from the history; returns their count. */
async function dropHistory({ stores }: RankingContext, findings: readonly Finding[]): Promise<number> {
  if (findings.length === 0) return 0;
  for (;;) {
    const manifest = await stores.board.read();
    if (manifest === null) return 0;
    const isDamaged = (base: string) => findings.some(({ name }) => name === base || name.startsWith(`${base}/`));
    const history = manifest.history.filter(({ base }) => base === manifest.base || !isDamaged(base));
    if (history.length === manifest.history.length) return 0;
    if ((await stores.board.advance(manifest, { history })) !== null) return manifest.history.length - history.length;
  }
}

async function recreateBoard(context: RankingContext): Promise<void> {
  const { stores, methodologies } = context;
  const manifest = await stores.board.read();
  // A lost manifest is replaced by one of the methodology that its boards had.
  if (manifest === null) await createFirstBoard(context, (await stores.parts.newestMethodology()) ?? FIRST_METHODOLOGY);
  else if (!methodologies.has(manifest.methodology)) {
    const kept = manifest.history.findLast(({ methodology }) => methodologies.has(methodology));
    await stores.board.advance(manifest, { methodology: kept?.methodology ?? FIRST_METHODOLOGY });
  }
  if (!(await rebuildBoard(context)))
    throw new Error('concurrent commits overtook every attempt: repeat the repair when there is less load');
}
