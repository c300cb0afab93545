import { HOUR_MS, MINUTE_MS, MS_PER_SECOND } from '../../config/units.ts';
import { FAILPOINTS, type FailpointName, type Ranking, type RankingDependencies } from '../../engine/ranking/index.ts';
import { methodology1 } from '../../engine/ranking/methodologies/methodology-1.ts';
import { methodology3 } from '../../engine/ranking/methodologies/methodology-3.ts';
import { committerOf, submitBatch } from '../support/open-engine.ts';
import { UNPACED } from '../support/unpaced.ts';
import { type FaultFixture } from './fault-fixture.ts';

/** An operation with failpoints. */
export interface Operation {
  readonly name: string;
  readonly points: readonly FailpointName[];
  /** Additional dependencies of the victim's engine. */
  readonly extra?: Partial<RankingDependencies>;
  /** Creates a state in which the operation reaches all its failpoints; the state before is recovered. */
  prepare?(fixture: FaultFixture): Promise<unknown>;
  /** Runs the operation on the victim's engine. */
  run(engine: Ranking, fixture: FaultFixture): Promise<unknown>;
  /** What the caller does without a response. */
  repeat?(fixture: FaultFixture): Promise<unknown>;
}

/** The failpoints with one of these prefixes. */
function pointsOf(...prefixes: readonly string[]): FailpointName[] {
  return FAILPOINTS.filter((point) => prefixes.includes(point.split('.')[0]!));
}

function tick(engine: Ranking): Promise<boolean> {
  return committerOf(engine).tick();
}

/** Creates unreferenced parts older than the grace period of garbage collection. */
async function makeGarbage(fixture: FaultFixture): Promise<void> {
  await fixture.submit(fixture.survivor);
  await fixture.publish();
  await fixture.survivor.compactBoard();
  await fixture.submit(fixture.survivor);
  await fixture.publish();
  await fixture.survivor.compactBoard();
  fixture.world.now += 11 * MINUTE_MS;
}

/** The earliest hour at which an operator is due. */
async function nextDue({ world }: FaultFixture): Promise<number> {
  const operators = world.connection.db!.collection<{ next_due: number | null }>('operators');
  const [first] = await operators
    .find({ next_due: { $ne: null } })
    .sort({ next_due: 1 })
    .limit(1)
    .toArray();
  if (typeof first?.next_due !== 'number') throw new Error('no operator is due at any hour');
  return first.next_due;
}

/** Advances the clock to the next hour at which an operator is due. */
export async function toNextDueHour(fixture: FaultFixture): Promise<void> {
  fixture.world.now = Math.max(fixture.world.now, (await nextDue(fixture)) * HOUR_MS + MS_PER_SECOND);
}

async function brokenLookup(): Promise<never> {
  throw new TypeError('a mistake of this release');
}

let renamed = 0;
let renamingTo: readonly [operator: number, codename: string];
let leaving = 0;

/** Operations that together reach every failpoint. */
export const OPERATIONS: readonly Operation[] = [
  {
    name: 'submit',
    points: pointsOf('log', 'batch'),
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
      // A new hour gets its base run first, so that there is something to compact afterwards.
      await fixture.recover();
      await fixture.submit(fixture.survivor);
      await fixture.publish();
    },
    run: (engine) => engine.compactBoard(),
  },
  { name: 'advance', points: pointsOf('advance'), prepare: toNextDueHour, run: (engine) => engine.advanceHour() },
  { name: 'collect', points: pointsOf('collect'), prepare: makeGarbage, run: (engine) => engine.collectGarbage() },
  {
    name: 'platforms',
    points: pointsOf('platforms'),
    prepare: async (fixture) => {
      // Past the lease of a victim that stopped, with boards before the last ones, which the next run deletes.
      fixture.world.now += 3 * MINUTE_MS;
      for (let runs = 0; runs < 2; runs++) {
        await fixture.submit(fixture.survivor);
        await fixture.publish();
        await fixture.survivor.platforms.rank(undefined, UNPACED);
      }
      await fixture.submit(fixture.survivor);
      await fixture.publish();
    },
    run: (engine) => engine.platforms.rank(undefined, UNPACED),
    repeat: async ({ survivor, world }) => {
      world.now += 3 * MINUTE_MS;
      await survivor.platforms.rank(undefined, UNPACED);
      const { isExact, findings } = await survivor.repair.verifyPlatforms();
      if (!isExact || findings.length > 0) throw new Error(`boards of platforms: ${JSON.stringify(findings)}`);
    },
  },
  {
    name: 'amend',
    points: pointsOf('amend'),
    run: async (engine, { random, operators }) => {
      const operator = random.pick(operators);
      const listed = (await engine.operators.byNumber(operator))?.listed === true;
      await engine.operators.amend(operator, { codename: `renamed-${renamed++}`, listed: !listed });
    },
  },
  {
    name: 'rename',
    points: pointsOf('rename'),
    run: (engine, { operators }) => {
      // Round robin: the number of renames per operator and month is limited.
      renamingTo = [operators[renamed % operators.length]!, `chosen-${renamed++}`];
      return engine.operators.rename(...renamingTo);
    },
    // Without a response the caller repeats the request, and the codename is reserved for it.
    repeat: async ({ survivor }) => {
      const { kind } = await survivor.operators.rename(...renamingTo);
      if (kind !== 'renamed' && kind !== 'unchanged') throw new Error(`rename returned ${kind}`);
    },
  },
  {
    name: 'erase',
    points: pointsOf('erase'),
    run: async (engine, fixture) => {
      const { world, survivor } = fixture;
      const operator = await world.enrol(`leaving-${renamed++}`);
      const entries = [world.entry(operator, { input: 1, output: 1_000_000, cache_read: 1_000 })];
      await submitBatch(survivor, entries);
      await fixture.publish();
      // An operator on the board, with an unprocessed snapshot.
      await survivor.log.append([world.entry(operator, { input: 1, output: 2_000_000, cache_read: 1_000 })]);
      leaving = operator;
      await engine.operators.erase(operator);
    },
    // Without a response the caller repeats the erasure.
    repeat: ({ survivor }) => survivor.operators.erase(leaving),
  },
  {
    name: 'reconcile',
    points: pointsOf('reconcile'),
    prepare: async (fixture) => {
      await fixture.append(fixture.survivor, fixture.makeEntries(3));
      fixture.world.now += 10 * MS_PER_SECOND;
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
      // As if the process had stalled until its intent was abandoned, and died between the record and marking it dirty.
      await fixture.world.connection.db!.collection('dirty_sets').deleteMany({});
      fixture.world.now += 10 * MS_PER_SECOND;
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
  {
    name: 'integrity',
    points: pointsOf('integrity'),
    // Without rules, only sketches are walked.
    extra: { methodologies: new Map([[1, { ...methodology1, rules: methodology3.rules }]]) },
    prepare: async ({ world, operators }) => {
      // A check and a walk of all operators, one of them with a copy that no longer exists.
      const { connection } = world;
      const progress = connection.collection<{ _id: string }>('progress');
      await progress.deleteMany({ _id: /^integrity/ });
      await progress.updateOne({ _id: 'integrity.amended_from' }, { $set: { value: '0' } }, { upsert: true });
      const sketches = connection.collection<{ _id: number }>('series_sketches');
      const copied = { $set: { prints: [], matched: true } };
      await sketches.updateOne({ _id: operators[0]! }, copied, { upsert: true });
      world.now += 10 * MINUTE_MS;
    },
    run: (engine) => engine.maintainIntegrity(async () => undefined),
    repeat: ({ survivor }) => survivor.maintainIntegrity(async () => undefined),
  },
];
