import { setTimeout as pause } from 'node:timers/promises';
import { type Connection, openMongo } from '../../../../engine/mongo/index.ts';
import type { Ranking } from '../../../../engine/ranking/index.ts';
import { openStores, type Stores } from '../../../../engine/ranking/storage/stores.ts';
import { createRerankJobs } from '../../../../workers/rerank-jobs.ts';
import { KEY_PREFIX, openQueues } from '../../../runtime/queues/index.ts';
import { openBlockingRedis } from '../../../runtime/stores/index.ts';
import type { Bench, BenchContext, BenchResult } from '../../frame/bench.ts';
import { peakBytes } from '../../frame/cpu-time.ts';
import { openRanking } from '../../frame/open-ranking.ts';
import { startBenchApi } from '../../frame/service/start-service.ts';
import type { BenchOperator } from '../../ingest/bench-operator.ts';
import { loadOperators } from '../../ingest/load-operators.ts';
import { chooseSite } from '../../ingest/service.ts';
import { startLoadClient } from '../../load/start-load-client.ts';
import { benchCodename, seedRecords } from '../seed-records.ts';
import { checkBoard, countsFromLog } from './check-board.ts';
import { checkResponses, type LiveOperators } from './check-responses.ts';
import { followManifest } from './follow-manifest.ts';
import { type KillableWorkers, startKillableWorkers } from './killable-workers.ts';
import { naivePopulation } from './naive-population.ts';
import { pollResponses } from './poll-responses.ts';
import { reportLive } from './report-live.ts';

/** One of this many records has too little usage for methodology 2. */
const SMALL_EVERY = 8;
const PROFILES = 100;
/** One of this many profiles that are read is of a submitting operator. */
const LIVE_PROFILE_EVERY = 4;
const POLL_INTERVAL_MS = 50;
const LIMIT_MS = 10 * 60_000;
const WORKERS = 2;

/** A re-rank under a steady load, with readers that check every response, and kills of workers. */
export const rerankLive: Bench = {
  name: 'rerank-live',
  summary: 'a re-rank under signed submissions: their p99 against that before, every read checked, workers killed',
  run,
};

interface World {
  readonly context: BenchContext;
  readonly connection: Connection;
  readonly stores: Stores;
  readonly ranking: Ranking;
  readonly jobs: ReturnType<typeof createRerankJobs>;
  readonly workers: KillableWorkers;
  readonly api: { readonly pid: number };
  readonly live: LiveOperators;
  readonly operators: readonly BenchOperator[];
  readonly baseUrl: string;
}

async function run(context: BenchContext): Promise<BenchResult> {
  const records = context.option('operators', { full: 100_000, tiny: 1_000 });
  const submitters = context.option('submitters', { full: 2_000, tiny: 40 });
  const perSecond = context.option('rate', { full: 500, tiny: 40 });
  const seconds = context.option('seconds', { full: 20, tiny: 2 });
  const kills = context.option('kills', { full: 10, tiny: 1 });
  // The measurement includes the time after a switch, in which processes load the new board.
  const afterwards = 1_000 * context.option('afterwards', { full: 3, tiny: 1 });
  const world = await openWorld(context, records, submitters);
  const { connection, stores, workers, api, live, operators, baseUrl } = world;
  const clients = await startLoadClient(context, operators, baseUrl);
  const following = await followManifest(stores, live.first, submitters);
  const polling = pollResponses(baseUrl, profiledOperators(operators, records));
  context.progress(`${perSecond} submissions a second`);
  const connections = context.option('connections', { full: 256, tiny: 16 });
  await clients.request('begin', { perSecond, seconds: null, connections });
  await pause(1_000 * context.option('warm-up', { full: 5, tiny: 1 }));
  await clients.request('take', undefined);
  await pause(seconds * 1_000);
  const before = await clients.request('take', undefined);
  context.progress(`p99 ${before.latencies.p99.toFixed(0)} ms; activating methodology 2`);
  const changeMs = await change(world, 2);
  await pause(afterwards);
  const during = await clients.request('take', undefined);
  context.progress(
    `switched after ${(changeMs / 1_000).toFixed(1)} s, p99 ${during.latencies.p99.toFixed(0)} ms; rolling back`,
  );
  const rolledBack = await rollBack(world);
  const peak = await workers.peak();
  const killed = await changeUnderKills(world, kills);
  await pause(afterwards);
  const last = await clients.request('end', undefined);
  const responses = await polling.end();
  const peaks = { worker: Math.max(peak, await workers.peak()), api: await peakBytes(api.pid) };
  await settled(world);
  context.progress('comparing the board with the population ranked by definition');
  const population = naivePopulation(records, SMALL_EVERY);
  const submitted = { first: live.first, counts: await countsFromLog(connection, live) };
  await checkBoard(stores, 2, population, submitted);
  const rolledBackAgain = await rollBack(world);
  await checkBoard(stores, 1, population, submitted);
  context.progress('recomputing every response');
  const factsOf = await following.end();
  const checked = checkResponses(responses, { population, live, factsOf });
  const rollbackMs = Math.max(rolledBack, rolledBackAgain);
  const { failed, failures } = responses;
  return reportLive(context, {
    before,
    during,
    last,
    changeMs,
    rollbackMs,
    killed,
    peaks,
    checked,
    failed,
    failures,
    records,
  });
}

/** Fills the databases and starts the service. */
async function openWorld(context: BenchContext, records: number, submitters: number): Promise<World> {
  const engines = await context.engines();
  const site = await chooseSite(context);
  const connection = await openMongo(engines.mongoUrl);
  context.onClose(() => connection.close());
  context.progress(`writing ${records} records and ${submitters} submitting operators`);
  const samples = context.option('samples', { full: 50, tiny: 50 });
  await seedRecords(connection, records, { samples, smallEvery: SMALL_EVERY });
  const operators = await loadOperators(engines.mongoUrl, site.baseUrl, submitters);
  const live: LiveOperators = { first: operators[0]!.number, codenames: operators.map(({ codename }) => codename) };
  const stores = openStores(connection);
  const ranking = openRanking(connection);
  const redis = openBlockingRedis(engines.redisUrl, () => undefined);
  const queues = openQueues(redis, KEY_PREFIX, () => undefined);
  context.onClose(async () => {
    await queues.close();
    redis.disconnect();
  });
  const [api, workers] = await Promise.all([
    startBenchApi(context, site.env),
    startKillableWorkers(context, WORKERS, site.env),
  ]);
  const jobs = createRerankJobs(queues);
  return { context, connection, stores, ranking, jobs, workers, api, live, operators, baseUrl: site.baseUrl };
}

/** Operators whose profiles are read: submitting ones, and others from the whole population. */
function profiledOperators(operators: readonly { number: number; codename: string }[], records: number) {
  return Array.from({ length: PROFILES }, (_, index) => {
    if (index % LIVE_PROFILE_EVERY === 0) return operators[(index * 7) % operators.length]!;
    const number = 1 + ((index * 104_729) % records);
    return { number, codename: benchCodename(number) };
  });
}

async function begin({ ranking, jobs }: World, methodology: number): Promise<void> {
  const started = await ranking.rerank.start({ kind: 'activate', methodology });
  if (started.kind !== 'started') throw new Error(`starting a run returned ${started.kind}`);
  await ranking.rerank.supervise(jobs);
}

async function isRunning({ stores }: World): Promise<boolean> {
  return ((await stores.board.read())?.rerank ?? null) !== null;
}

async function ended(world: World): Promise<void> {
  for (const until = performance.now() + LIMIT_MS; await isRunning(world); ) {
    if (performance.now() > until) throw new Error('a run does not end: see the logs of the workers');
    await pause(POLL_INTERVAL_MS);
  }
}

/** Switches the methodology. Returns the duration in milliseconds. */
async function change(world: World, methodology: number): Promise<number> {
  const started = performance.now();
  await begin(world, methodology);
  await ended(world);
  const found = (await world.stores.board.read())?.methodology;
  if (found !== methodology) throw new Error(`the run ended, but the board is of methodology ${found}`);
  return performance.now() - started;
}

async function rollBack({ ranking }: World): Promise<number> {
  const started = performance.now();
  const { kind } = await ranking.rerank.rollBack();
  if (kind !== 'rolled_back') throw new Error(`the rollback returned ${kind}`);
  return performance.now() - started;
}

/** Kills workers at random times of runs, and ends with methodology 2. Returns the number of runs. */
async function changeUnderKills(world: World, kills: number): Promise<{ kills: number; runs: number }> {
  const random = seeded(world.context.option('seed', { full: 8, tiny: 8 }));
  let [runs, target] = [0, 1];
  for (let done = 0; done < kills; done++) {
    if (!(await isRunning(world))) {
      target = (await world.stores.board.read())?.methodology === 1 ? 2 : 1;
      await begin(world, target);
      runs++;
    }
    await pause(random() * 3_000);
    await world.workers.kill(random());
  }
  world.context.progress(`${kills} workers killed in ${runs} runs`);
  await ended(world);
  await world.workers.ready();
  if ((await world.stores.board.read())?.methodology !== 2) {
    await change(world, 2);
    runs++;
  }
  return { kills, runs };
}

/** Mulberry32: seeded random numbers in [0, 1). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Waits until every snapshot of the log has a verdict and every changed operator is on the board. */
async function settled({ connection, context }: World): Promise<void> {
  context.progress('waiting for the last snapshots');
  for (const until = performance.now() + LIMIT_MS; performance.now() < until; await pause(500)) {
    const batches: unknown[] = await connection.collection('snapshots').distinct('batch');
    const verdicts = await connection.collection('verdicts').countDocuments({});
    if (verdicts < batches.length) continue;
    if ((await connection.collection('dirty_sets').countDocuments({})) === 0) return;
  }
  throw new Error('snapshots of the log do not reach the board');
}
