import { CHECKPOINTS, type Checkpoint, type Ranking, type RankingDependencies } from '../../engine/ranking/index.ts';
import { type FaultField, HOUR_MS, MINUTE_MS, SECOND_MS } from './fault-field.ts';

/** Work that passes checkpoints. */
export interface Operation {
  readonly name: string;
  readonly points: readonly Checkpoint[];
  /** What the victim's engine is given beyond the usual. */
  readonly extra?: Partial<RankingDependencies>;
  /** Brings the field into the state in which the work has something to do at every point. */
  prepare(field: FaultField): Promise<unknown>;
  /** Does the work through the victim's engine. */
  run(engine: Ranking, field: FaultField): Promise<unknown>;
  /** What its asker does when there was no answer. */
  repeat?(field: FaultField): Promise<unknown>;
}

/** The checkpoints whose names begin with one of these. */
function pointsOf(...prefixes: readonly string[]): Checkpoint[] {
  return CHECKPOINTS.filter((point) => prefixes.includes(point.split('.')[0]!));
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
async function litter(field: FaultField): Promise<void> {
  await field.submit(field.survivor);
  await field.publish();
  await field.survivor.compactBoard();
  await field.submit(field.survivor);
  await field.publish();
  await field.survivor.compactBoard();
  field.world.now += 11 * MINUTE_MS;
}

/** The hour at which the first operator's totals move by themselves. */
async function nextDue({ world }: FaultField): Promise<number> {
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
export async function toNextDueHour(field: FaultField): Promise<void> {
  field.world.now = Math.max(field.world.now, (await nextDue(field)) * HOUR_MS + SECOND_MS);
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
    points: pointsOf('log', 'fold'),
    prepare: (field) => field.recover(),
    run: (engine, field) => field.submit(engine),
  },
  {
    name: 'commit',
    points: pointsOf('commit'),
    prepare: (field) => field.submit(field.survivor),
    run: tick,
  },
  {
    name: 'merge',
    points: pointsOf('merge'),
    extra: { maxSegments: 1 },
    prepare: async (field) => {
      for (let commits = 0; commits < 2; commits++) {
        await field.submit(field.survivor);
        await field.publish();
      }
      await field.submit(field.survivor);
    },
    run: tick,
  },
  {
    name: 'compact',
    points: pointsOf('compact'),
    prepare: async (field) => {
      // An hour that turned has its base before there is something new to put into one.
      await field.recover();
      await field.submit(field.survivor);
      await field.publish();
    },
    run: (engine) => engine.compactBoard(),
  },
  { name: 'turn', points: pointsOf('turn'), prepare: toNextDueHour, run: (engine) => engine.turnHour() },
  { name: 'sweep', points: pointsOf('sweep'), prepare: litter, run: (engine) => engine.sweepBoard() },
  {
    name: 'amend',
    points: pointsOf('amend'),
    prepare: (field) => field.recover(),
    run: async (engine, { random, operators }) => {
      const operator = random.pick(operators);
      const listed = (await engine.operators.byNumber(operator))?.listed === true;
      await engine.operators.amend(operator, { codename: `renamed-${renamed++}`, listed: !listed });
    },
  },
  {
    name: 'rename',
    points: pointsOf('rename'),
    prepare: (field) => field.recover(),
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
    prepare: (field) => field.recover(),
    run: async (engine, field) => {
      const { world, survivor } = field;
      const operator = await world.enrol(`leaving-${renamed++}`);
      const entries = [world.entry(operator, { input: 1, output: 1_000_000, cache_read: 1_000 })];
      const [outcome] = await survivor.log.append(entries);
      await survivor.judgeGroup(outcome?.kind === 'stored' ? outcome.group : '', entries);
      await field.publish();
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
    prepare: async (field) => {
      await field.append(field.survivor, field.makeEntries(3));
      field.world.now += 10 * SECOND_MS;
    },
    run: (engine) =>
      engine.reconcileLog(async (group) => {
        await engine.judgeGroup(group, await engine.log.ofGroup(group));
      }),
  },
  {
    name: 'heal',
    points: pointsOf('heal'),
    prepare: async (field) => {
      await field.submit(field.survivor);
      await field.recover();
      const displayName = `Renamed ${field.world.now}`;
      await field.survivor.operators.amend(field.random.pick(field.operators), { displayName, listed: true });
      // As if who renamed had slept until the list was taken for abandoned, and died between record and list.
      await field.world.connection.db!.collection('change_lists').deleteMany({});
      field.world.now += 10 * SECOND_MS;
    },
    run: (engine) => engine.healOperators(),
  },
  {
    name: 'rejudge',
    points: pointsOf('rejudge'),
    prepare: async (field) => {
      const entries = field.makeEntries(3);
      const group = await field.append(field.survivor, entries);
      await field.world.another({ deviceKeys: brokenLookup }).judgeGroupApart(group, entries);
    },
    run: (engine) => engine.rejudgePoisoned(),
    repeat: ({ survivor }) => survivor.rejudgePoisoned(),
  },
];
