import { expect } from 'chai';
import { MINUTE_MS } from '../../config/units.ts';
import { type FailpointName, type Ranking, RERANK_FAILPOINTS } from '../../engine/ranking/index.ts';
import { inlineJobs } from '../support/inline-jobs.ts';
import { runsOf } from '../support/long-run.ts';
import { committerOf } from '../support/open-engine.ts';
import { OTHER_METHODOLOGY, useOtherBounds } from '../support/other-bounds.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { useFixture } from '../support/use-fixture.ts';
import { checkConsistency } from './check-consistency.ts';
import { type FaultFixture, openFaultFixture } from './fault-fixture.ts';
import { type FaultRow, faultTable } from './fault-table.ts';
import { type Mode, makeVictim } from './victim.ts';

const RANGES = { rangeOperators: 4 };
/** The methodology that changes lead to, and back to 1: another floor, and rules that few tokens and days cross. */
const OTHER = OTHER_METHODOLOGY.id;
const MODES: readonly Mode[] = ['stop', 'pause'];
/** A process stops at every failpoint; it pauses at every one in long runs, and at every sixteenth, chosen by the seed, in short ones. */
const PAUSE_AT_EVERY = runsOf(16, 1);

/** An operation on the methodology with failpoints. */
interface Work {
  readonly name: string;
  readonly points: readonly FailpointName[];
  prepare(fixture: FaultFixture): Promise<unknown>;
  run(engine: Ranking, fixture: FaultFixture): Promise<unknown>;
}

function pointsOf(...prefixes: readonly string[]): FailpointName[] {
  return RERANK_FAILPOINTS.filter((point) => prefixes.includes(point.split('.')[0]!));
}

async function methodologyOf({ survivor }: FaultFixture): Promise<number> {
  return (await survivor.rerank.status()).methodology;
}

/** A complete run by one engine. */
async function changeTo(engine: Ranking, methodology: number): Promise<void> {
  const jobs = inlineJobs();
  await engine.rerank.start({ kind: 'activate', methodology });
  await engine.rerank.supervise(jobs);
  await jobs.work(engine);
}

/** Finishes current runs whose jobs were lost, as workers do. */
async function finishRuns(fixture: FaultFixture): Promise<void> {
  const engine = fixture.world.another(RANGES);
  const jobs = inlineJobs();
  for (let round = 0; round < 3; round++) {
    await engine.rerank.supervise(jobs);
    await jobs.work(engine);
  }
}

/** Ensures methodology 1, and starts a run. */
async function beginRun(fixture: FaultFixture): Promise<void> {
  await finishRuns(fixture);
  if ((await methodologyOf(fixture)) !== 1) await changeTo(fixture.survivor, 1);
  await fixture.world.another(RANGES).rerank.start({ kind: 'activate', methodology: OTHER });
}

async function prepareRollback(fixture: FaultFixture): Promise<void> {
  await finishRuns(fixture);
  if ((await methodologyOf(fixture)) === OTHER) await changeTo(fixture.survivor, 1);
  await changeTo(fixture.survivor, OTHER);
  await fixture.submit(fixture.survivor);
  await fixture.publish();
  await fixture.submit(fixture.survivor);
}

const WORKS: readonly Work[] = [
  {
    name: 'a run',
    points: pointsOf('rerank', 'range').filter((point) => point !== 'rerank.taken_off'),
    prepare: async (fixture) => {
      await finishRuns(fixture);
      await fixture.submit(fixture.survivor);
    },
    run: async (engine, fixture) => changeTo(engine, (await methodologyOf(fixture)) === 1 ? OTHER : 1),
  },
  {
    name: 'a commit during a run',
    points: ['catch_up.written'],
    prepare: async (fixture) => {
      await beginRun(fixture);
      await fixture.submit(fixture.survivor);
    },
    run: (engine) => committerOf(engine).tick(),
  },
  { name: 'a cancellation', points: ['rerank.taken_off'], prepare: beginRun, run: (engine) => engine.rerank.cancel() },
  {
    name: 'a rollback',
    points: pointsOf('rollback'),
    prepare: prepareRollback,
    run: (engine) => engine.rerank.rollBack(),
  },
  {
    name: 'supervision',
    points: pointsOf('supervise'),
    prepare: beginRun,
    run: (engine) => engine.rerank.supervise(inlineJobs()),
  },
];

/** Other processes finish the run, change the methodology again, and time passes the timeouts that protect the paused one. */
async function overtake(fixture: FaultFixture): Promise<void> {
  await fixture.recover();
  await finishRuns(fixture);
  await fixture.submit(fixture.survivor);
  await fixture.recover();
  await fixture.survivor.compactBoard();
  fixture.world.now += 11 * MINUTE_MS;
  await fixture.survivor.collectGarbage();
  await changeTo(fixture.survivor, (await methodologyOf(fixture)) === 1 ? OTHER : 1);
  await fixture.submit(fixture.survivor);
  await fixture.publish();
  fixture.world.now += 11 * MINUTE_MS;
  await fixture.survivor.collectGarbage();
}

async function expectNoRunLeft({ world }: FaultFixture): Promise<void> {
  const db = world.connection.db!;
  expect(await db.collection('rerank_parts').countDocuments({}), 'parts of runs').to.equal(0);
  expect(await db.collection('rerank_runs').countDocuments({ state: 'running' }), 'runs without an end').to.equal(0);
  const manifest = await db
    .collection<{ _id: string; rerank?: object | null }>('board_manifests')
    .findOne({ _id: 'manifest' });
  expect(manifest?.rerank ?? null, 'the current run').to.equal(null);
}

describe('crash points of a re-rank', () => {
  useOtherBounds();
  const seed = runSeed();
  const rows: FaultRow[] = [];
  const crossed = new Set<string>();
  const isChosen = (point: FailpointName, mode: Mode): boolean =>
    mode === 'stop' || (RERANK_FAILPOINTS.findIndex((one) => one === point) + seed) % PAUSE_AT_EVERY === 0;
  const fixture = useFixture(() => openFaultFixture(seededRandom(seed)));

  before(async () => {
    // Totals that the other methodology ranks, and totals that it does not.
    for (let round = 0; round < 8; round++) await fixture().submit(fixture().survivor, 5);
    await fixture().recover();
  });

  async function runFault(work: Work, point: FailpointName, mode: Mode): Promise<number> {
    await work.prepare(fixture());
    const victim = makeVictim(fixture().world, { at: point }, RANGES);
    const running = work.run(victim.engine, fixture());
    await victim.reachedBy(running);
    if (mode === 'pause') {
      await overtake(fixture());
      victim.wake();
      await running.catch(() => undefined);
    }
    await fixture().submit(fixture().survivor);
    // Past the time after which a run that is not in the manifest is cancelled.
    fixture().world.now += 2 * MINUTE_MS;
    await fixture().recover();
    await finishRuns(fixture());
    fixture().world.now += 11 * MINUTE_MS;
    await fixture().survivor.collectGarbage();
    await fixture().recover();
    return victim.hits();
  }

  for (const work of WORKS) {
    for (const mode of MODES) {
      for (const point of work.points.filter((one) => isChosen(one, mode))) {
        it(`${work.name}: ${mode} at ${point} keeps all invariants (seed ${seed})`, async () => {
          const row = { fault: point, mode, hits: 0, outcome: 'failed' };
          const place = rows.push(row) - 1;
          const hits = await runFault(work, point, mode);
          const methodology = await methodologyOf(fixture());
          await checkConsistency(fixture());
          for (const operator of fixture().operators)
            for (const { flags, row: state } of fixture().integrity(operator, methodology))
              for (const seen of [...flags, String(state)]) crossed.add(seen);
          await expectNoRunLeft(fixture());
          rows[place] = { ...row, hits, outcome: `consistent under methodology ${methodology}` };
        });
      }
    }
  }

  it('were all reached in their modes', () => {
    process.stdout.write(`\n  crash points of a re-rank (seed ${seed})\n${faultTable(rows)}\n\n`);
    const reached = new Set(rows.filter(({ hits }) => hits > 0).map(({ fault, mode }) => `${fault} ${mode}`));
    const all = RERANK_FAILPOINTS.flatMap((point) =>
      MODES.filter((mode) => isChosen(point, mode)).map((mode) => `${point} ${mode}`),
    );
    expect(all.filter((name) => !reached.has(name))).to.deep.equal([]);
    expect([...crossed], 'rules and states').to.include.members([
      'output-beyond-response',
      'excluded',
      'held',
      'settled',
    ]);
  });
});
