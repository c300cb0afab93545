import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { quantile } from '../../api/quantile.ts';
import { processEnvironment } from '../../config/env.ts';
import { HOUR_MS } from '../../config/units.ts';
import { type Connection, MIGRATIONS, migrate, openMongo } from '../../engine/mongo/index.ts';
import { freePort } from '../../ops/local/free-port.ts';
import { launch, type RunningChild } from '../../ops/local/process/launch.ts';
import { childProgram } from '../support/child-programs.ts';
import { freshDatabase } from '../support/engines.ts';
import { runsOf } from '../support/long-run.ts';
import { committerOf, openEngine } from '../support/open-engine.ts';

const CODENAMES = runsOf(100, 10_000, 'CARD_CODENAMES');
const ADDRESSES = runsOf(10, 20);
/** Kept boards, of which each card shows a line. */
const HOURS = runsOf(2, 8);
/** Between two requests of one address. */
const PAUSE_MS = runsOf(20, 100);
/** Of the board alone, before and after. */
const ALONE_MS = runsOf(100, 20_000);
/** Requests of the board a second. */
const BOARD_RATE = runsOf(20, 100);

const codenameOf = (index: number): string => `listed-${String(index).padStart(5, '0')}`;

describe('abuse: pictures of all codenames, from many addresses', () => {
  let connection: Connection;
  let api: RunningChild;
  let origin: string;

  before(async () => {
    const { mongoUrl, redisUrl } = await freshDatabase();
    connection = await openMongo(mongoUrl);
    await migrate(connection, { migrations: MIGRATIONS, clock: Date.now });
    await fillBoards(connection);
    const port = await freePort();
    origin = `http://localhost:${port}`;
    const env = {
      ...processEnvironment(),
      PORT: String(port),
      METRICS_PORT: String(await freePort()),
      TRUSTED_PROXIES: '127.0.0.1',
      MONGODB_URL: mongoUrl,
      REDIS_URL: redisUrl,
      LOG_LEVEL: 'fatal',
    };
    const times = { readyWithinMs: 300_000, stopWithinMs: 60_000 };
    api = await launch({ name: 'api', entry: await childProgram('api'), env, output: 'kept', ...times });
  });

  after(async () => {
    await api?.stop();
    await connection?.dropDatabase();
    await connection?.close();
  });

  const get = async (path: string, from: string) => {
    const response = await fetch(`${origin}${path}`, { headers: { 'x-forwarded-for': from } });
    await response.arrayBuffer();
    return response;
  };

  /** Requests the board at a steady rate until `done`; returns its times in milliseconds, ascending. */
  async function readBoard(done: () => boolean): Promise<Float64Array> {
    const times: number[] = [];
    const under: Promise<void>[] = [];
    const beganAt = performance.now();
    for (let sent = 0; !done(); sent += 1) {
      const startedAt = performance.now();
      const read = async (): Promise<void> => {
        const { status } = await get('/api/v1/leaderboard?limit=100', `10.1.${sent >> 8}.${sent & 255}`);
        expect(status).to.equal(200);
        times.push(performance.now() - startedAt);
      };
      under.push(read());
      await pause(Math.max(0, beganAt + (sent + 1) * (1_000 / BOARD_RATE) - performance.now()));
    }
    await Promise.all(under);
    return Float64Array.from(times).toSorted();
  }

  const alone = (): Promise<Float64Array> => {
    const until = performance.now() + ALONE_MS;
    return readBoard(() => performance.now() >= until);
  };

  it('are refused beyond their policies; the times of the board are printed', async () => {
    const outcomes = new Map<string, number>();
    const enumerate = async (_: unknown, address: number): Promise<void> => {
      for (let index = address; index < CODENAMES; index += ADDRESSES) {
        for (const form of ['png', 'svg']) {
          const { status, headers } = await get(`/card/${codenameOf(index)}.${form}`, `10.0.0.${address}`);
          const isStill = headers.get('cache-control') === 'no-store' && status === 200;
          const outcome = `${form} ${isStill ? 'static' : status}`;
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
          await pause(PAUSE_MS);
        }
      }
    };
    await alone();
    const before = await alone();
    let left = true;
    const reading = readBoard(() => !left);
    await Promise.all(Array.from({ length: ADDRESSES }, enumerate));
    left = false;
    const meanwhile = await reading;
    const after = await alone();
    const p99 = [before, meanwhile, after].map((times) => quantile(times, 0.99));
    const shown = p99.map((ms) => ms.toFixed(1)).join(', ');
    process.stdout.write(
      `\n  p99 of the board in ms before, meanwhile and after: ${shown}; ${JSON.stringify([...outcomes])}\n`,
    );
    const known = new Set(['png 200', 'png static', 'png 429', 'svg 200', 'svg 429']);
    expect([...outcomes.keys()].filter((outcome) => !known.has(outcome))).to.deep.equal([]);
    expect(outcomes.get('png 200') ?? 0).to.be.above(0);
  });
});

/** Boards of all codenames, kept for some hours. */
async function fillBoards(connection: Connection): Promise<void> {
  let now = Date.now() - HOURS * HOUR_MS;
  const { accounts, ranking } = openEngine(connection, () => now);
  await Promise.all([accounts.ensureIndexes(), ranking.ensureIndexes()]);
  await ranking.ensureBoard();
  const committer = committerOf(ranking);
  const asOf = now - HOUR_MS;
  await ranking.operators.import(
    Array.from({ length: CODENAMES }, (_, index) => {
      const counts = { input: 400_000, output: 60_000 + index, cache_read: 2_000_000, cache_write: 0 };
      const usage = [{ asOf, ledger: 'ledger-one', platform: 'codex', epoch: 0, counts }];
      return { codename: codenameOf(index), displayName: `Listed ${index}`, usage };
    }),
  );
  for (let hour = 0; hour <= HOURS; hour += 1) {
    await ranking.advanceHour();
    while (await committer.tick());
    await ranking.rebuildBoard();
    now = Math.min(now + HOUR_MS, Date.now());
  }
  await committer.close();
}
