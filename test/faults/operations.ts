import { FAILPOINTS, type FailpointName, type Ranking, type RankingDependencies } from '../../engine/ranking/index.ts';
import { type FaultFixture, HOUR_MS, MINUTE_MS, SECOND_MS } from './fault-fixture.ts';

/** Work that passes checkpoints. */
export interface Operation {
  readonly name: string;
  readonly points: readonly FailpointName[];
  /** What the victim's engine is given beyond the usual. */
  readonly extra?: Partial<RankingDependencies>;
  /** Brings the field into the state in which the work has something to do at every point. */
  prepare(fixture: FaultFixture): Promise<unknown>;
  /** Does the work through the victim's engine. */
  run(engine: Ranking, fixture: FaultFixture): Promise<unknown>;
  /** What its asker does when there was no answer. */
  repeat?(fixture: FaultFixture): Promise<unknown>;
}

/** The checkpoints whose names begin with one of these. */
function pointsOf(...prefixes: readonly string[]): FailpointName[] {
  return FAILPOINTS.filter((point) => prefixes.includes(point.split('.')[0]!));
}

function tick(engine: Ranking): Promise<boolean> {
  return engine
    .createCommitter(
      () => undefined,
      (error) => {
        throw error;
      },
    )
    .tick();
}

/** Puts parts on record that nothing refers to, and lets them grow older than the sweeper's grace. */
async function litter(fixture: FaultFixture): Promise<void> {
  await fixture.submit(fixture.survivor);
  await fixture.publish();
  await fixture.survivor.compactBoard();
  await fixture.submit(fixture.survivor);
  await fixture.publish();
  await fixture.survivor.compactBoard();
  fixture.world.now += 11 * MINUTE_MS;
}

/** The hour at which the first operator's totals move by themselves. */
async function nextDue({ world }: FaultFixture): Promise<number> {
  const operators = world.connection.db!.collection<{ next_due: number | null }>('operators');
  const [first] = await operators
    .find({ next_due: { $ne: null } })
    .sort({ next_due: 1 })
    .limit(1)
    .toArray();
  if (typeof first?.next_due !== 'number') throw new Error('nobody is due at any hour');
  return first.next_due;
}

/** Lets the clock reach the next hour at which somebody's totals move. */
export async function toNextDueHour(fixture: FaultFixture): Promise<void> {
  fixture.world.now = Math.max(fixture.world.now, (await nextDue(fixture)) * HOUR_MS + SECOND_MS);
}

async function brokenLookup(): Promise<never> {
  throw new TypeError('a mistake of this release');
}

let renamed = 0;
let renamingTo: readonly [operator: number, codename: string];
let leaving = 0;

/** All work whose every gap between two writes has a name. Together they pass every checkpoint. */
export const OPERATIONS: readonly Operation[] = [
  {
    name: 'submit',
    points: pointsOf('log', 'batch'),
    prepare: (fixture) => fixture.recover(),
    run: (engine, fixture) => fixture.submit(engine),
  },
  {
    name: 'commit',
    points: pointsOf('commit'),
    prepare: (fixture) => fixture.submit(fixture.survivor),
    run: tick,
  },
  {
    name: 'merge',
    points: pointsOf('merge'),
    extra: { maxSegments: 1 },
    prepare: async (fixture) => {
      for (let commits = 0; commits < 2; commits++) {
        await fixture.submit(fixture.survivor);
        await fixture.publish();
      }
      await fixture.submit(fixture.survivor);
    },
    run: tick,
  },
  {
    name: 'compact',
    points: pointsOf('compact'),
    prepare: async (fixture) => {
      // An hour that turned has its base before there is something new to put into one.
      await fixture.recover();
      await fixture.submit(fixture.survivor);
      await fixture.publish();
    },
    run: (engine) => engine.compactBoard(),
  },
  { name: 'advance', points: pointsOf('advance'), prepare: toNextDueHour, run: (engine) => engine.advanceHour() },
  { name: 'collect', points: pointsOf('collect'), prepare: litter, run: (engine) => engine.collectGarbage() },
  {
    name: 'amend',
    points: pointsOf('amend'),
    prepare: (fixture) => fixture.recover(),
    run: async (engine, { random, operators }) => {
      const operator = random.pick(operators);
      const listed = (await engine.operators.byNumber(operator))?.listed === true;
      await engine.operators.amend(operator, { codename: `renamed-${renamed++}`, listed: !listed });
    },
  },
  {
    name: 'rename',
    points: pointsOf('rename'),
    prepare: (fixture) => fixture.recover(),
    run: (engine, { operators }) => {
      // Each in its turn: an operator can be renamed a few times a month.
      renamingTo = [operators[renamed % operators.length]!, `chosen-${renamed++}`];
      return engine.operators.rename(...renamingTo);
    },
    // Whoever was not answered asks again, and finds the codename kept for them.
    repeat: async ({ survivor }) => {
      const { kind } = await survivor.operators.rename(...renamingTo);
      if (kind !== 'renamed' && kind !== 'unchanged') throw new Error(`the codename was ${kind}`);
    },
  },
  {
    name: 'erase',
    points: pointsOf('erase'),
    prepare: (fixture) => fixture.recover(),
    run: async (engine, fixture) => {
      const { world, survivor } = fixture;
      const operator = await world.enrol(`leaving-${renamed++}`);
      const entries = [world.entry(operator, { input: 1, output: 1_000_000, cache_read: 1_000 })];
      const [outcome] = await survivor.log.append(entries);
      await survivor.processBatch(outcome?.kind === 'stored' ? outcome.batch : '', entries);
      await fixture.publish();
      // One on the board, with a snapshot on its way.
      await survivor.log.append([world.entry(operator, { input: 1, output: 2_000_000, cache_read: 1_000 })]);
      leaving = operator;
      await engine.operators.erase(operator);
    },
    // An erasure that was not answered is asked for again until it is.
    repeat: ({ survivor }) => survivor.operators.erase(leaving),
  },
  {
    name: 'reconcile',
    points: pointsOf('reconcile'),
    prepare: async (fixture) => {
      await fixture.append(fixture.survivor, fixture.makeEntries(3));
      fixture.world.now += 10 * SECOND_MS;
    },
    run: (engine) =>
      engine.reconcileLog(async (batch) => {
        await engine.processBatch(batch, await engine.log.ofBatch(batch));
      }),
  },
  {
    name: 'reconcile_operators',
    points: pointsOf('reconcile_operators'),
    prepare: async (fixture) => {
      await fixture.submit(fixture.survivor);
      await fixture.recover();
      const displayName = `Renamed ${fixture.world.now}`;
      await fixture.survivor.operators.amend(fixture.random.pick(fixture.operators), { displayName, listed: true });
      // As if who renamed had slept until the list was taken for abandoned, and died between record and list.
      await fixture.world.connection.db!.collection('dirty_sets').deleteMany({});
      fixture.world.now += 10 * SECOND_MS;
    },
    run: (engine) => engine.reconcileOperators(),
  },
  {
    name: 'reprocess',
    points: pointsOf('reprocess'),
    prepare: async (fixture) => {
      const entries = fixture.makeEntries(3);
      const batch = await fixture.append(fixture.survivor, entries);
      await fixture.world.another({ deviceKeys: brokenLookup }).processBatchByEntry(batch, entries);
    },
    run: (engine) => engine.reprocessPoisoned(),
    repeat: ({ survivor }) => survivor.reprocessPoisoned(),
  },
];
