import { createFirstBoard } from '../board/create-first-board.ts';
import { rebuildBoard } from '../board/rebuild-board.ts';
import type { RankingContext } from '../context.ts';
import { HOUR_MS, samplesOf } from '../core/operator-state/index.ts';
import type { Finding } from './findings.ts';
import { recomputeOperators } from './recompute-operators.ts';

/** What was done about findings. */
export interface Repair {
  readonly rollups: number;
  readonly samples: number;
  /** Kept boards that were let go: nothing can tell what they said. */
  readonly history: number;
  /** Whether the board was made anew from the records. */
  readonly rebuilt: boolean;
}

/**
 * Repairs what was found: carry marks from the marks that they are in, marks and totals from the log, the board from the
 * records, by the one way there is to make a board. Tells how many operators are folded anew, some at a time. Throws when
 * commits were faster every time.
 */
export async function repairBoard(
  context: RankingContext,
  findings: readonly Finding[],
  firstMethodology: number,
  onDone?: (operators: number) => void,
): Promise<Repair> {
  const of = (part: Finding['part']) => findings.filter((finding) => finding.part === part);
  for (const { operator } of of('rollup')) if (operator !== undefined) await remakeRollup(context, operator);
  await recomputeOperators(
    context,
    [...of('sample'), ...of('rollup')].flatMap(({ operator }) => operator ?? []),
    onDone,
  );
  // What is read while a board is made must be whole: movements come from kept boards.
  let history = await dropHistory(context, of('history'));
  const board = findings.filter(({ part }) => !['sample', 'rollup', 'history'].includes(part));
  if (board.length > 0) await remakeBoard(context, firstMethodology);
  // The former base may be a kept board as well, and is damaged as such.
  history += await dropHistory(context, [...of('base'), ...of('page')]);
  return { rollups: of('rollup').length, samples: of('sample').length, history, rebuilt: board.length > 0 };
}

/** The marks of an operator hold what its carry mark held: all that is older than the log. */
async function remakeRollup({ stores }: RankingContext, operator: number): Promise<void> {
  const until = await stores.rollups.until(operator);
  const operatorState = (await stores.operators.operatorStates([operator])).get(operator)?.operatorState;
  if (operatorState === undefined) return;
  const facts = samplesOf(operatorState).filter(({ hour }) => hour * HOUR_MS < until);
  await stores.rollups.overwrite(operator, { until, facts });
}

/** Takes damaged boards out of the history; answers how many. */
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

async function remakeBoard(context: RankingContext, firstMethodology: number): Promise<void> {
  const { stores, methodologies } = context;
  const manifest = await stores.board.read();
  if (manifest === null) await createFirstBoard(context, firstMethodology);
  else if (!methodologies.has(manifest.methodology)) {
    const kept = manifest.history.findLast(({ methodology }) => methodologies.has(methodology));
    await stores.board.advance(manifest, { methodology: kept?.methodology ?? firstMethodology });
  }
  if (!(await rebuildBoard(context))) throw new Error('commits were faster every time: repair at a quieter time');
}
