import { setTimeout as pause } from 'node:timers/promises';
import { openMongo } from '../../../../engine/mongo/index.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import type { Bench, BenchContext, BenchResult } from '../../frame/bench.ts';
import { peakBytes } from '../../frame/cpu-time.ts';
import { openRanking } from '../../frame/open-ranking.ts';
import { benchCodename } from '../../frame/seed-population.ts';
import { serviceSite, startBenchApi } from '../../frame/service/start-service.ts';
import { timed } from '../../frame/statistics.ts';
import { loadOperators, startClients } from '../../ingest/load-operators.ts';
import { openChance } from '../../scan/corpus/chance.ts';
import { openRerankRuns } from '../rerank-runs.ts';
import { seedRecords } from '../seed-records.ts';
import { checkBoard, countsFromLog } from './check-board.ts';
import { checkResponses } from './check-responses.ts';
import { followManifest } from './follow-manifest.ts';
import { startKillableWorkers } from './killable-workers.ts';
import { naivePopulation } from './naive-population.ts';
import { pollResponses } from './poll-responses.ts';
import { reportLive } from './report-live.ts';

/** One of this many records has too little usage for methodology 2. */
const SMALL_EVERY = 8;
const PROFILES = 100;
/** One of this many profiles that are read is of a submitting operator. */
const LIVE_PROFILE_EVERY = 4;
/** Time limit of the last snapshots. */
const LIMIT_MS = 10 * 60_000;
const WORKERS = 2;
/** Longest time between two kills. */
const MAX_KILL_PAUSE_MS = 3_000;

/** A re-rank under a steady load, with readers that check every response, and kills of workers. */
export const rerankLive: Bench = {
  name: 'rerank-live',
  summary: 'a re-rank under signed submissions: their p99 against that before, every read checked, workers killed',
  run,
};

type World = Awaited<ReturnType<typeof openWorld>>;

async function run(context: BenchContext): Promise<BenchResult> {
  const options = context.options({
    operators: [100_000, 1_000],
    samples: [50, 50],
    submitters: [2_000, 40],
    rate: [500, 40],
    seconds: [20, 2],
    connections: [256, 16],
    kills: [10, 1],
    seed: [8, 8],
    'warm-up': [5, 1],
    // The measurement includes the time after a switch, in which processes load the new board.
    afterwards: [3, 1],
  });
  const { operators: records, submitters, rate: perSecond, connections } = options;
  const world = await openWorld(context, records, options.samples, submitters);
  const { connection, stores, runs, workers, api, live, operators, baseUrl } = world;
  const clients = await startClients(context, operators, baseUrl);
  const following = await followManifest(stores, live.first, submitters);
  const polling = pollResponses(baseUrl, profiledOperators(operators, records));
  context.progress(`${perSecond} submissions a second`);
  await clients.request('begin', { perSecond, seconds: null, connections });
  await pause(1_000 * options['warm-up']);
  await clients.request('take', undefined);
  await pause(1_000 * options.seconds);
  const before = await clients.request('take', undefined);
  context.progress(`p99 ${before.latencies.p99.toFixed(0)} ms; activating methodology 2`);
  const changeMs = await runs.change(2);
  await pause(1_000 * options.afterwards);
  const during = await clients.request('take', undefined);
  context.progress(
    `switched after ${(changeMs / 1_000).toFixed(1)} s, p99 ${during.latencies.p99.toFixed(0)} ms; rolling back`,
  );
  const rolledBack = await rollBack(world);
  const peak = await workers.peak();
  const killed = await changeUnderKills(world, options.kills, options.seed);
  await pause(1_000 * options.afterwards);
  const last = await clients.request('end', undefined);
  const { failed, failures, ...responses } = await polling.end();
  const peaks = { worker: Math.max(peak, await workers.peak()), api: await peakBytes(api.pid) };
  await settled(world);
  context.progress('comparing the board with the population ranked by definition');
  const population = naivePopulation(records, SMALL_EVERY);
  const submitted = { first: live.first, counts: await countsFromLog(connection, live) };
  await checkBoard(stores, 2, population, submitted);
  const rollbackMs = Math.max(rolledBack, await rollBack(world));
  await checkBoard(stores, 1, population, submitted);
  context.progress('recomputing every response');
  const factsOf = await following.end();
  const checked = checkResponses(responses, { population, live, factsOf });
  const measured = { before, during, last, changeMs, rollbackMs, killed, peaks, checked, failed, failures, records };
  return reportLive(context, measured);
}

/** Fills the databases and starts the service. */
async function openWorld(context: BenchContext, records: number, samples: number, submitters: number) {
  const { mongoUrl } = await context.engines();
  const { baseUrl, env } = await serviceSite(context);
  const connection = await openMongo(mongoUrl);
  context.onClose(() => connection.close());
  context.progress(`writing ${records} records and ${submitters} submitting operators`);
  await seedRecords(connection, records, samples, SMALL_EVERY);
  const operators = await loadOperators(mongoUrl, baseUrl, submitters);
  const live = { first: operators[0]!.number, codenames: operators.map(({ codename }) => codename) };
  const stores = openStores(connection);
  const ranking = openRanking(connection);
  const runs = await openRerankRuns(context, connection, ranking);
  const workers = await startKillableWorkers(context, WORKERS, env);
  // The naive population knows methodologies 1 and 2, so the api has to begin with one of them.
  await runs.change(1);
  const api = await startBenchApi(context, env);
  return { context, connection, stores, ranking, runs, workers, api, live, operators, baseUrl };
}

/** Operators whose profiles are read: submitting ones, and others from the whole population. */
function profiledOperators(operators: readonly { number: number; codename: string }[], records: number) {
  return Array.from({ length: PROFILES }, (_, index) => {
    if (index % LIVE_PROFILE_EVERY === 0) return operators[(index * 7) % operators.length]!;
    const number = 1 + ((index * 104_729) % records);
    return { number, codename: benchCodename(number) };
  });
}

/** Returns the duration in milliseconds. */
async function rollBack({ ranking }: World): Promise<number> {
  const { ms, value } = await timed(() => ranking.rerank.rollBack());
  if (value.kind !== 'rolled_back') throw new Error(`the rollback returned ${value.kind}`);
  return ms;
}

/** Kills workers at random times of runs, and ends with methodology 2. Returns the number of runs. */
async function changeUnderKills({ context, runs, workers }: World, kills: number, seed: number) {
  const chance = openChance(seed);
  let started = 0;
  for (let done = 0; done < kills; done++) {
    const { methodology, isRunning } = await runs.state();
    if (!isRunning) {
      await runs.begin(methodology === 1 ? 2 : 1);
      started++;
    }
    await pause(chance.integer(0, MAX_KILL_PAUSE_MS));
    await workers.kill(chance);
  }
  context.progress(`${kills} workers killed in ${started} runs`);
  const methodology = await runs.ended();
  await workers.ready();
  if (methodology !== 2) {
    await runs.change(2);
    started++;
  }
  return { kills, runs: started };
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
