import { expect } from 'chai';
import { type Checkpoint, type Ranking, RERANK_CHECKPOINTS } from '../../engine/ranking/index.ts';
import { inlineJobs } from '../support/inline-jobs.ts';
import { runsOf } from '../support/long-run.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { checkWhole } from './check-whole.ts';
import { type FaultField, MINUTE_MS, openFaultField } from './fault-field.ts';
import { type FaultRow, faultTable } from './fault-table.ts';
import { type Mode, makeVictim } from './victim.ts';

const RANGES = { rangeOperators: 4 };
const MODES: readonly Mode[] = ['stop', 'pause'];
/** A process stops at every point; it sleeps at every one in the long form, at every third in the short one, by the seed. */
const PAUSE_AT_EVERY = runsOf(3, 1);

/** Work on the methodology that passes checkpoints. */
interface Work {
  readonly name: string;
  readonly points: readonly Checkpoint[];
  prepare(field: FaultField): Promise<unknown>;
  run(engine: Ranking, field: FaultField): Promise<unknown>;
}

function pointsOf(...prefixes: readonly string[]): Checkpoint[] {
  return RERANK_CHECKPOINTS.filter((point) => prefixes.includes(point.split('.')[0]!));
}

async function methodologyOf({ survivor }: FaultField): Promise<number> {
  return (await survivor.rerank.status()).methodology;
}

/** A run from its beginning to its end, by one engine, with jobs of its own. */
async function changeTo(engine: Ranking, methodology: number): Promise<void> {
  const jobs = inlineJobs();
  await engine.rerank.start({ kind: 'activate', methodology });
  await engine.rerank.tend(jobs);
  await jobs.work(engine);
}

/** What workers do about runs that are under way, with jobs that were lost. */
async function settle(field: FaultField): Promise<void> {
  const engine = field.world.another(RANGES);
  const jobs = inlineJobs();
  for (let round = 0; round < 3; round++) {
    await engine.rerank.tend(jobs);
    await jobs.work(engine);
  }
}

/** The board is made by methodology 1, and a run has begun. */
async function beginRun(field: FaultField): Promise<void> {
  await settle(field);
  if ((await methodologyOf(field)) !== 1) await changeTo(field.survivor, 1);
  await field.world.another(RANGES).rerank.start({ kind: 'activate', methodology: 2 });
}

async function changed(field: FaultField): Promise<void> {
  await settle(field);
  if ((await methodologyOf(field)) === 2) await changeTo(field.survivor, 1);
  await changeTo(field.survivor, 2);
  await field.submit(field.survivor);
  await field.publish();
  await field.submit(field.survivor);
}

const WORKS: readonly Work[] = [
  {
    name: 'a run',
    points: pointsOf('rerank', 'range').filter((point) => point !== 'rerank.taken_off'),
    prepare: async (field) => {
      await settle(field);
      await field.submit(field.survivor);
    },
    run: async (engine, field) => changeTo(engine, (await methodologyOf(field)) === 1 ? 2 : 1),
  },
  {
    name: 'a commit during a run',
    points: ['trail.written'],
    prepare: async (field) => {
      await beginRun(field);
      await field.submit(field.survivor);
    },
    run: (engine) =>
      engine
        .createCommitter(
          () => undefined,
          (error) => {
            throw error;
          },
        )
        .tick(),
  },
  { name: 'a cancelling', points: ['rerank.taken_off'], prepare: beginRun, run: (engine) => engine.rerank.cancel() },
  { name: 'a rollback', points: pointsOf('rollback'), prepare: changed, run: (engine) => engine.rerank.rollBack() },
  { name: 'tending', points: pointsOf('tend'), prepare: beginRun, run: (engine) => engine.rerank.tend(inlineJobs()) },
];

/** While one sleeps, others end what it began, change the methodology again, and time passes what protects a sleeper. */
async function overtake(field: FaultField): Promise<void> {
  await field.recover();
  await settle(field);
  await field.submit(field.survivor);
  await field.recover();
  await field.survivor.compactBoard();
  field.world.now += 11 * MINUTE_MS;
  await field.survivor.sweepBoard();
  await changeTo(field.survivor, (await methodologyOf(field)) === 1 ? 2 : 1);
  await field.submit(field.survivor);
  await field.publish();
  field.world.now += 11 * MINUTE_MS;
  await field.survivor.sweepBoard();
}

async function expectNothingLeft({ world }: FaultField): Promise<void> {
  const db = world.connection.db!;
  expect(await db.collection('rerank_parts').countDocuments({}), 'parts of runs').to.equal(0);
  expect(await db.collection('rerank_runs').countDocuments({ state: 'running' }), 'runs without an end').to.equal(0);
  const root = await db.collection<{ _id: string; rerank?: object | null }>('board_roots').findOne({ _id: 'root' });
  expect(root?.rerank ?? null, 'the run under way').to.equal(null);
}

describe('crash points of a change of the methodology', function () {
  this.timeout(90_000);
  const seed = runSeed();
  const rows: FaultRow[] = [];
  const isChosen = (point: Checkpoint, mode: Mode): boolean =>
    mode === 'stop' || (RERANK_CHECKPOINTS.findIndex((one) => one === point) + seed) % PAUSE_AT_EVERY === 0;
  let field: FaultField;

  before(async () => {
    field = await openFaultField(seededRandom(seed));
    // Totals that methodology 2 takes, beside those that it leaves out.
    for (let round = 0; round < 8; round++) await field.submit(field.survivor, 5);
    await field.recover();
  });

  after(() => field.close());

  async function runFault(work: Work, point: Checkpoint, mode: Mode): Promise<number> {
    await work.prepare(field);
    const victim = makeVictim(field.world, { at: point }, RANGES);
    const running = work.run(victim.engine, field);
    await victim.reachedBy(running);
    if (mode === 'pause') {
      await overtake(field);
      victim.wake();
      await running.catch(() => undefined);
    }
    await field.submit(field.survivor);
    // Past the time after which a run that never came to the root is given up.
    field.world.now += 2 * MINUTE_MS;
    await field.recover();
    await settle(field);
    field.world.now += 11 * MINUTE_MS;
    await field.survivor.sweepBoard();
    await field.recover();
    return victim.hits();
  }

  for (const work of WORKS) {
    for (const mode of MODES) {
      for (const point of work.points.filter((one) => isChosen(one, mode))) {
        it(`${work.name}: ${mode} at ${point} leaves everything whole (seed ${seed})`, async () => {
          const row = { fault: point, mode, hits: 0, outcome: 'failed' };
          const place = rows.push(row) - 1;
          const hits = await runFault(work, point, mode);
          const methodology = await methodologyOf(field);
          await checkWhole({ ...field, model: () => field.model(methodology) });
          await expectNothingLeft(field);
          rows[place] = { ...row, hits, outcome: `whole under methodology ${methodology}` };
        });
      }
    }
  }

  it('were all reached in both modes', () => {
    process.stdout.write(`\n  crash points of a change of the methodology (seed ${seed})\n${faultTable(rows)}\n\n`);
    const reached = new Set(rows.filter(({ hits }) => hits > 0).map(({ fault, mode }) => `${fault} ${mode}`));
    const all = RERANK_CHECKPOINTS.flatMap((point) =>
      MODES.filter((mode) => isChosen(point, mode)).map((mode) => `${point} ${mode}`),
    );
    expect(all.filter((name) => !reached.has(name))).to.deep.equal([]);
  });
});
