import { DAY_MS } from '../../../config/units.ts';
import { bitOf, ruleNamed } from '../../integrity/index.ts';
import type { RankingContext } from '../context.ts';
import { IDENTICAL_PRINTS, printedDays, seriesSketch } from '../core/series-sketch.ts';
import { pauseForIngest } from '../ingest/live-ingest.ts';
import { amendOperator } from '../operators/amend-operator.ts';
import type { LoadedState } from '../storage/operators.ts';
import type { SketchDocument } from '../storage/series-sketches.ts';

/** Operators per read. */
const OPERATORS_A_READ = 500;

/** Series after which the lease is renewed. */
const SERIES_A_HOLD = 50;

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

/** When the growths of each print of operators were received. */
type Received = Map<number, ReadonlyMap<number, number>>;

/**
 * Compares the operators whose sketches are marked: sets the finding of those whose series are identical with one that was received
 * earlier, unless a moderator cleared that, and removes it from the others. `hold` throws when another process has acquired the lease.
 */
export async function assertMatches(context: RankingContext, hold: () => Promise<void>): Promise<void> {
  const { stores, failpoint } = context;
  const received: Received = new Map();
  for await (const marked of stores.seriesSketches.marked(OPERATORS_A_READ)) {
    const started = performance.now();
    const rivals = await rivalsAmong(context, marked, received, hold);
    const compared = new Set(marked.map(({ _id }) => _id));
    // Copies of what is compared now for the first time.
    const others = [...rivals].flatMap(([copy, own]) => (own.length > 0 && !compared.has(copy) ? copy : []));
    await stores.seriesSketches.mark(others);
    await failpoint('integrity.matches_marked');
    await hold();
    await assertCopies(context, marked, rivals);
    await failpoint('integrity.matches_asserted');
    await stores.seriesSketches.unmark(marked);
    await pauseForIngest(context, performance.now() - started);
  }
}

/**
 * The operators that share prints with marked ones, each with those whose series is identical and was received earlier. They are sought
 * among the operators from which one of its prints was received first, so that copies of a row are compared with that row alone.
 */
async function rivalsAmong(
  context: RankingContext,
  marked: readonly SketchDocument[],
  received: Received,
  hold: () => Promise<void>,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const found = await context.stores.seriesSketches.sharing(marked.flatMap(({ prints }) => prints));
  const holders = new Map<number, number>();
  for (const print of found.flatMap(({ prints }) => prints)) holders.set(print, (holders.get(print) ?? 0) + 1);
  const near = found.filter(
    ({ prints }) => prints.filter((print) => holders.get(print)! > 1).length >= IDENTICAL_PRINTS,
  );
  const firsts = new Map<number, number>();
  for (const [index, { _id, prints }] of near.entries()) {
    if (index % SERIES_A_HOLD === 0) await hold();
    const own = received.get(_id) ?? (await receivedAt(context, _id, prints));
    received.set(_id, own);
    for (const [print, at] of own) {
      const first = firsts.get(print);
      if (first === undefined || at < received.get(first)!.get(print)!) firsts.set(print, _id);
    }
  }
  return new Map(
    near.map(({ _id, prints }) => {
      const first = new Set(prints.map((print) => firsts.get(print)!));
      return [_id, [...first].filter((other) => isCopy(received, _id, other))];
    }),
  );
}

/**
 * Whether an operator's series is identical with another one's, and most of the shared growths were received later; where that is even
 * the account that was made later is the copy. So copying a row cannot hold it.
 */
function isCopy(received: Received, operator: number, other: number): boolean {
  const [own, theirs] = [received.get(operator)!, received.get(other)!];
  const leads = [...own].flatMap(([print, at]) => (theirs.has(print) ? Math.sign(at - theirs.get(print)!) : []));
  const lead = leads.reduce<number>((sum, each) => sum + each, 0);
  return leads.length >= IDENTICAL_PRINTS && (lead === 0 ? operator > other : lead > 0);
}

/**
 * When the growths of an operator's prints were received: the time of the snapshot with exactly these counts, or else the end of the day
 * whose snapshots first stated them in that stream and epoch. What others state, or what was stated elsewhere, cannot make it earlier.
 */
async function receivedAt({ stores }: RankingContext, operator: number, prints: readonly number[]) {
  const state = (await stores.operators.operatorStates([operator])).get(operator)?.operatorState;
  const days = state && printedDays(state);
  const times = prints.map(async (print): Promise<[number, number]> => {
    const day = days?.get(print);
    if (day === undefined || day.receivedOn === 0) return [print, 0];
    return [print, (await stores.log.firstReceived(operator, day.counts)) ?? (day.receivedOn + 1) * DAY_MS];
  });
  return new Map(await Promise.all(times));
}

/** Stores of whom operators are copies, and sets the finding where no moderator cleared that, or removes it. */
async function assertCopies(
  context: RankingContext,
  marked: readonly SketchDocument[],
  rivals: ReadonlyMap<number, readonly number[]>,
): Promise<void> {
  const { operators, seriesSketches } = context.stores;
  await seriesSketches.writeRivals(marked, rivals);
  const copies = marked.filter(({ _id, cleared = [] }) => rivals.get(_id)?.some((rival) => !cleared.includes(rival)));
  const held = new Set(copies.map(({ _id }) => _id));
  for (const { operator, assertions } of await operators.summaries(marked.map(({ _id }) => _id))) {
    const set = held.has(operator) ? IDENTICAL : 0;
    if (set === (assertions.findings & IDENTICAL)) continue;
    await amendOperator(context, operator, { findings: { set, remove: IDENTICAL } });
  }
}
