import { setTimeout as pause } from 'node:timers/promises';
import type { BenchContext } from '../frame/bench.ts';
import { residentBytes } from '../frame/cpu-time.ts';
import { LoadConnection } from '../frame/load-connection.ts';
import { withMongo } from '../frame/open-ranking.ts';
import { readProfile } from '../frame/read-profile.ts';
import { benchCodename } from '../frame/seed-population.ts';
import { serviceEnvironment, startProduct } from '../frame/service/start-service.ts';
import { median, timed } from '../frame/statistics.ts';
import { fillPopulation } from './fill-population.ts';
import { measureStarts, startOnce } from './measure-starts.ts';

/**
 * Pause in which background work of a step ends before the next one is measured: the store writes a checkpoint of
 * the loaded data, the worker reads the board and compacts it for its hour.
 */
const REST_MS = [5_000, 100] as const;

/** Unmeasured profile reads, during which code is compiled. */
const WARM_UP_READS = [1_500, 20] as const;

/** Measurements of the service over one population. Times are milliseconds, sizes bytes. */
export type PopulationScale = Awaited<ReturnType<typeof measurePopulation>>;

/** Fills an empty database and measures api and worker over it; compares their starts with those over an empty database. */
export async function measurePopulation(context: BenchContext, operators: number, mongoUrl: string, emptyUrl: string) {
  const { 'rest-ms': restMs } = context.options({ 'rest-ms': REST_MS });
  const { ms: loadMs } = await timed(() => fillPopulation(context, mongoUrl, operators));
  await pause(restMs);
  await startOnce(context, mongoUrl);
  const starts = await measureStarts(context, mongoUrl, emptyUrl);
  const env = await serviceEnvironment(context, { MONGODB_URL: mongoUrl, TRUSTED_PROXIES: '127.0.0.1' });
  const worker = await startProduct(context, 'worker', env);
  await pause(restMs);
  const api = await startProduct(context, 'api', env);
  const times = await readProfiles(context, mongoUrl, Number(env['PORT']), operators);
  await pause(restMs);
  const [workerBytes, apiBytes] = [await residentBytes(worker.pid), await residentBytes(api.pid)];
  await Promise.all([api.stop(), worker.stop()]);
  return { operators, loadMs, ...starts, workerBytes, apiBytes, ...times, ...(await sizeOfBase(mongoUrl)) };
}

/**
 * Median times of profiles read for the first and the second time, and of finding an operator through the driver, one at a
 * time and alternating. The process is warmed up; a cold profile is one whose board pages are not cached.
 */
async function readProfiles(context: BenchContext, mongoUrl: string, port: number, operators: number) {
  if (operators === 0) return { coldProfileMs: 0, warmProfileMs: 0, findOneMs: 0 };
  const { profiles, others } = context.options({ profiles: [200, 20], others: WARM_UP_READS });
  const api = await LoadConnection.open(port);
  const pick = (): string => benchCodename(Math.floor(Math.random() * operators));
  const profile = async (codename: string) => (await timed(() => readProfile(api, port, codename))).ms;
  return withMongo(mongoUrl, async (mongo) => {
    const find = async (codename: string) =>
      (await timed(() => mongo.collection('operators').findOne({ codename }))).ms;
    // All on the first few pages, which contain few of the measured operators of a large population.
    for (let round = 0; round < others; round++) {
      const codename = benchCodename(round % operators);
      await profile(codename);
      await find(codename);
    }
    const [cold, warm, found]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < profiles; round++) {
      const codename = pick();
      cold.push(await profile(codename));
      found.push(await find(pick()));
      warm.push(await profile(codename));
    }
    return { coldProfileMs: median(cold), warmProfileMs: median(warm), findOneMs: median(found) };
  }).finally(() => api.close());
}

/** Bytes of the largest base run's pages as documents, and their share of the collection's size on disk. */
function sizeOfBase(mongoUrl: string) {
  return withMongo(mongoUrl, async (connection) => {
    const pages = connection.collection('board_pages');
    const sizes = await pages
      .aggregate<{ bytes: number }>([
        { $group: { _id: '$base', bytes: { $sum: { $bsonSize: '$$ROOT' } } } },
        { $sort: { bytes: -1 } },
      ])
      .toArray();
    const [stats] = await pages
      .aggregate<{ storageStats: { size: number; storageSize: number } }>([{ $collStats: { storageStats: {} } }])
      .toArray();
    const baseBytes = sizes[0]?.bytes ?? 0;
    const { size = 0, storageSize = 0 } = stats?.storageStats ?? {};
    return { baseBytes, baseStoredBytes: size === 0 ? 0 : Math.round((baseBytes / size) * storageSize) };
  });
}
