import { bitOf, ruleNamed } from '../../integrity/index.ts';
import type { RankingContext } from '../context.ts';
import { IDENTICAL_PRINTS, seriesSketch } from '../core/series-sketch.ts';
import { pauseForIngest } from '../ingest/live-ingest.ts';
import { amendOperator } from '../operators/amend-operator.ts';
import type { LoadedState } from '../storage/operators.ts';

/** Operators per read. */
const OPERATORS_A_READ = 500;

const IDENTICAL = bitOf(ruleNamed('identical-series'));

/** Stores the sketches of operators. Those that changed are compared by `assertMatches`, even if this process dies in between. */
export async function sketchOperators(
  { stores, failpoint }: RankingContext,
  states: ReadonlyMap<number, Pick<LoadedState, 'operatorState'>>,
): Promise<void> {
  await stores.seriesSketches.write(
    new Map([...states].map(([operator, { operatorState }]) => [operator, seriesSketch(operatorState)])),
  );
  await failpoint('integrity.sketches_written');
}

/**
 * Sets the finding of operators, on either side, whose series are identical, and removes it where that no longer holds. `hold`
 * throws when another process has acquired the lease.
 */
export async function assertMatches(context: RankingContext, hold: () => Promise<void>): Promise<void> {
  const { stores, failpoint } = context;
  for await (const marked of stores.seriesSketches.marked(OPERATORS_A_READ)) {
    const started = performance.now();
    const identical = await identicalWith(stores, new Map(marked.map(({ _id, prints }) => [_id, prints])));
    if (identical.size > 0) await stores.seriesSketches.mark([...identical]);
    await failpoint('integrity.matches_marked');
    const operators = new Set([...marked.map(({ _id }) => _id), ...identical]);
    await hold();
    await assertFinding(context, IDENTICAL, [...operators], identical);
    await failpoint('integrity.matches_asserted');
    const parted = marked.filter(({ _id }) => !identical.has(_id));
    if (parted.length > 0) await stores.seriesSketches.unmark(parted);
    await pauseForIngest(context, performance.now() - started);
  }
}

/** The operators of pairs with identical series of which at least one is given. */
async function identicalWith(
  { seriesSketches }: RankingContext['stores'],
  sketches: ReadonlyMap<number, readonly number[]>,
): Promise<ReadonlySet<number>> {
  const holders = new Map<number, number[]>();
  for (const [operator, prints] of sketches) {
    for (const print of prints) holders.set(print, [...(holders.get(print) ?? []), operator]);
  }
  const identical = new Set<number>();
  if (holders.size === 0) return identical;
  for await (const other of seriesSketches.sharing([...holders.keys()])) {
    const shared = new Map<number, number>();
    for (const operator of other.prints.flatMap((print) => holders.get(print) ?? [])) {
      shared.set(operator, (shared.get(operator) ?? 0) + 1);
    }
    for (const [operator, prints] of shared) {
      if (operator !== other._id && prints >= IDENTICAL_PRINTS) identical.add(operator).add(other._id);
    }
  }
  return identical;
}

/** Sets the finding (its bit) in the records of those operators where it holds, and removes it from those of the others. */
async function assertFinding(
  context: RankingContext,
  finding: number,
  operators: readonly number[],
  holding: ReadonlySet<number>,
): Promise<void> {
  for (const { operator, assertions } of await context.stores.operators.summaries(operators)) {
    const set = holding.has(operator) ? finding : 0;
    if (set === (assertions.findings & finding)) continue;
    await amendOperator(context, operator, { findings: { set, remove: finding } });
  }
}
