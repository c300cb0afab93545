import { expect } from 'chai';
import { processEnvironment } from '../../config/env.ts';
import { MS_PER_SECOND } from '../../config/units.ts';
import { MIGRATIONS, migrate, openMongo } from '../../engine/mongo/index.ts';
import { type FailpointName, type LogEntry, type Ranking } from '../../engine/ranking/index.ts';
import { launch, type RunningChild } from '../../ops/local/process/launch.ts';
import { enqueueBatch, openQueues } from '../../ops/runtime/queues/index.ts';
import { openBlockingRedis } from '../../ops/runtime/stores/index.ts';
import { childProgram } from '../support/child-programs.ts';
import { eventually } from '../support/eventually.ts';
import { enrolMember, openEngine } from '../support/open-engine.ts';
import { PLAIN_METHODOLOGY } from '../support/plain-board.ts';
import { runSeed, type SeededRandom, seededRandom } from '../support/seeded-random.ts';
import { namedDeviceKey, signSnapshot } from '../support/signing.ts';
import { useFixture } from '../support/use-fixture.ts';
import { checkLog } from './check-log.ts';
import { type FaultRow, faultTable } from './fault-table.ts';
import type { Acknowledged } from './load.ts';
import { flushAll, startOwnEngines } from './own-engines.ts';

/** Where a worker dies: before a batch's verdict, and after it, before its job completes. */
const POINTS: readonly FailpointName[] = ['batch.loaded', 'batch.applied', 'batch.marked_dirty', 'batch.decided'];
const OPERATORS = 4;

const ignore = (): void => undefined;

describe('workers that are killed during a batch, with Redis emptied before recovery', () => {
  const random = seededRandom(runSeed());
  const rows: FaultRow[] = [];
  const acknowledged = new Map<string, Acknowledged>();
  const codenames = Array.from({ length: OPERATORS }, (_, index) => `emptied-${index}`);
  const engines = useFixture(startOwnEngines);
  const connection = useFixture(() => openMongo(engines().database.mongoUrl));
  let ranking: Ranking;
  let operators: number[];

  before(async () => {
    await migrate(connection(), { migrations: MIGRATIONS, clock: Date.now });
    const engine = openEngine(connection());
    ({ ranking } = engine);
    await ranking.ensureIndexes();
    await ranking.ensureBoard(PLAIN_METHODOLOGY);
    const members = await Promise.all(codenames.map((codename) => enrolMember(engine, codename)));
    operators = members.map(({ operator }) => operator);
  });

  after(() => process.stdout.write(`\n  killed workers and FLUSHALL (seed ${random.seed})\n${faultTable(rows)}\n\n`));

  async function startWorker(...point: readonly string[]): Promise<RunningChild> {
    const { mongoUrl, redisUrl, prefix } = engines().database;
    const args = [mongoUrl, redisUrl, prefix, ...point];
    const env = processEnvironment();
    return launch({
      name: 'worker',
      entry: await childProgram('doomedWorker'),
      args,
      env,
      readyWithinMs: 300_000,
      stopWithinMs: 60_000,
      output: 'kept',
    });
  }

  /** Appends a batch and queues it, as the api does. */
  async function submit(entries: readonly LogEntry[]): Promise<void> {
    const [outcome] = await ranking.log.append(entries);
    if (outcome?.kind !== 'stored') throw new Error(`append returned ${outcome?.kind}`);
    const redis = openBlockingRedis(engines().database.redisUrl, ignore);
    const queues = openQueues(redis, engines().database.prefix, ignore);
    await enqueueBatch(queues, outcome.batch, entries);
    await queues.close();
    redis.disconnect();
  }

  for (const [round, point] of POINTS.entries()) {
    it(`come to ${point} (seed ${random.seed})`, async () => {
      const place = rows.push({ fault: `${point}, FLUSHALL`, mode: 'kill -9', hits: 0, outcome: 'failed' }) - 1;
      const entries = operators.map((operator, index) => makeEntry(random, operator, codenames[index]!, round));
      const victim = await startWorker(point);
      await submit(entries);
      const { signal } = await victim.exited;
      expect(signal).to.equal('SIGKILL');
      await flushAll(engines().database.redisUrl);
      for (const { operator, jti, signature } of entries) {
        const id = `${operator}.${jti}`;
        acknowledged.set(id, { id, signature, accepted: true });
      }
      rows[place] = { ...rows[place]!, hits: 1, outcome: 'queued nowhere' };
    });
  }

  it('lose nothing: the next worker finds every batch in the log', async () => {
    const started = performance.now();
    const worker = await startWorker();
    try {
      await eventually('a consistent log and board', () => checkLog(connection(), ranking, acknowledged));
    } finally {
      await worker.stop();
    }
    const outcome = `consistent ${((performance.now() - started) / MS_PER_SECOND).toFixed(1)} s after the next start`;
    rows.splice(0, rows.length, ...rows.map((row) => ({ ...row, outcome })));
    expect(acknowledged.size).to.equal(POINTS.length * OPERATORS);
    expect(rows.filter(({ hits }) => hits === 0)).to.deep.equal([]);
  });
});

function makeEntry(random: SeededRandom, operator: number, codename: string, round: number): LogEntry {
  const receivedAt = Date.now();
  const iat = Math.floor(receivedAt / MS_PER_SECOND);
  const jti = `emptied-${round}-${operator}`.padEnd(16, '0');
  const counts = { input: random.integer(1, 9), output: 10 * (round + 1), cache_read: random.integer(1, 99) };
  const payload = { codename, ...counts, cache_write: 1 };
  const signature = signSnapshot(namedDeviceKey(codename), payload, { jti, iat, as_of: iat, stream: 'ledger-one' });
  return { operator, jti, receivedAt, payload, signature };
}
