import { DAY_MS } from '../../../config/units.ts';
import { bitOf, ruleNamed, waiverOf } from '../../integrity/index.ts';
import type { RankingContext } from '../context.ts';
import { IDENTICAL_PRINTS, printedDays, seriesSketch } from '../core/series-sketch.ts';
import { pauseForIngest } from '../ingest/live-ingest.ts';
import { amendOperator } from '../operators/amend-operator.ts';
import type { LoadedState } from '../storage/operators.ts';

/** Operators per read. */
const OPERATORS_A_READ = 500;

/** Pairs after which the lease is renewed. */
const PAIRS_A_HOLD = 50;

const IDENTICAL = bitOf(ruleNamed('identical-series'));
const WAIVER = waiverOf('identical-series');

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
 * Sets the finding of operators whose series are identical with one that was received earlier, and removes it where that no longer
 * holds. `hold` throws when another process has acquired the lease.
 */
export async function assertMatches(context: RankingContext, hold: () => Promise<void>): Promise<void> {
  const { stores, failpoint } = context;
  for await (const marked of stores.seriesSketches.marked(OPERATORS_A_READ)) {
    const started = performance.now();
    const pairs = await pairsWith(stores, new Map(marked.map(({ _id, prints }) => [_id, prints])));
    const paired = new Set(pairs.flatMap(({ operators }) => operators));
    if (paired.size > 0) await stores.seriesSketches.mark([...paired]);
    await failpoint('integrity.matches_marked');
    const copies = await copiesAmong(context, pairs, hold);
    await hold();
    await assertCopies(context, new Set([...marked.map(({ _id }) => _id), ...paired]), copies);
    await failpoint('integrity.matches_asserted');
    const parted = marked.filter(({ _id }) => !paired.has(_id));
    if (parted.length > 0) await stores.seriesSketches.unmark(parted);
    await pauseForIngest(context, performance.now() - started);
  }
}

/** Two operators with identical series. */
interface Pair {
  readonly operators: readonly [number, number];
  readonly prints: readonly number[];
}

/** The pairs with identical series of which at least one is given. */
async function pairsWith(
  { seriesSketches }: RankingContext['stores'],
  sketches: ReadonlyMap<number, readonly number[]>,
): Promise<Pair[]> {
  const holders = new Map<number, number[]>();
  for (const [operator, prints] of sketches) {
    for (const print of prints) holders.set(print, [...(holders.get(print) ?? []), operator]);
  }
  const pairs = new Map<string, Pair>();
  if (holders.size === 0) return [];
  for await (const other of seriesSketches.sharing([...holders.keys()])) {
    const shared = new Map<number, number[]>();
    for (const print of other.prints) {
      for (const operator of holders.get(print) ?? []) shared.set(operator, [...(shared.get(operator) ?? []), print]);
    }
    for (const [operator, prints] of shared) {
      if (operator === other._id || prints.length < IDENTICAL_PRINTS) continue;
      const operators = [Math.min(operator, other._id), Math.max(operator, other._id)] as const;
      pairs.set(operators.join(' '), { operators, prints });
    }
  }
  return [...pairs.values()];
}

/**
 * The later side of each pair, with the number of shared growths: that from which most of them were received after the other's, and where
 * that is even the operator with the greater number. So copying a row cannot hold it.
 */
async function copiesAmong(
  context: RankingContext,
  pairs: readonly Pair[],
  hold: () => Promise<void>,
): Promise<ReadonlyMap<number, number>> {
  const copies = new Map<number, number>();
  for (const [index, { operators, prints }] of pairs.entries()) {
    if (index % PAIRS_A_HOLD === 0) await hold();
    const [first, second] = await Promise.all(operators.map((operator) => receivedAt(context, operator, prints)));
    const lead = prints.reduce((sum, _, at) => sum + Math.sign(second![at]! - first![at]!), 0);
    const copy = operators[lead >= 0 ? 1 : 0];
    copies.set(copy, Math.max(copies.get(copy) ?? 0, prints.length));
  }
  return copies;
}

/**
 * When the growths of an operator's prints were received: the time of the snapshot with exactly these counts, or else the end of the day
 * whose snapshots first stated them in that stream and epoch. What others state, or what was stated elsewhere, cannot make it earlier.
 */
async function receivedAt({ stores }: RankingContext, operator: number, prints: readonly number[]): Promise<number[]> {
  const state = (await stores.operators.operatorStates([operator])).get(operator)?.operatorState;
  const days = state && printedDays(state);
  return Promise.all(
    prints.map(async (print) => {
      const day = days?.get(print);
      if (day === undefined || day.receivedOn === 0) return 0;
      return (await stores.log.firstReceived(operator, day.counts)) ?? (day.receivedOn + 1) * DAY_MS;
    }),
  );
}

/** Sets the finding in the records of copies that no moderator cleared, and removes it from those of the others. */
async function assertCopies(
  context: RankingContext,
  operators: ReadonlySet<number>,
  copies: ReadonlyMap<number, number>,
): Promise<void> {
  for (const { operator, assertions } of await context.stores.operators.summaries([...operators])) {
    const set = (copies.get(operator) ?? 0) > assertions.waived[WAIVER]! ? IDENTICAL : 0;
    if (set === (assertions.findings & IDENTICAL)) continue;
    await amendOperator(context, operator, { findings: { set, remove: IDENTICAL } });
  }
}
