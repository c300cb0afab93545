import { setTimeout as pause } from 'node:timers/promises';
import { openMongo } from '../../../engine/mongo/index.ts';
import type { BenchContext } from '../frame/bench.ts';
import { residentBytes } from '../frame/cpu-time.ts';
import { seededCodename } from '../frame/seed-population.ts';
import { serviceEnvironment, startProduct } from '../frame/service/start-service.ts';
import { median, timed } from '../frame/statistics.ts';
import { LoadConnection } from '../ingest/load-connection.ts';
import { fillPopulation } from './fill-population.ts';
import { measureStarts, startOnce } from './measure-starts.ts';
import type { PopulationScale } from './population-scale.ts';

/**
 * Pause in which background work of a step ends before the next one is measured: the store writes a checkpoint of
 * the loaded data, the worker reads the board and compacts it for its hour.
 */
const REST_MS = { full: 5_000, tiny: 100 } as const;

/** Unmeasured profile reads, during which code is compiled. */
const WARM_UP_READS = { full: 1_500, tiny: 20 } as const;

let requests = 0;

type ProfileTimes = Pick<PopulationScale, 'coldProfileMs' | 'warmProfileMs' | 'findOneMs'>;

const NO_TIMES: ProfileTimes = { coldProfileMs: 0, warmProfileMs: 0, findOneMs: 0 };

/** Fills an empty database and measures api and worker over it; compares their starts with those over an empty database. */
export async function measurePopulation(
  context: BenchContext,
  operators: number,
  mongoUrl: string,
  emptyUrl: string,
): Promise<PopulationScale> {
  const restMs = context.option('rest-ms', REST_MS);
  const load = await timed(() => fillPopulation(context, mongoUrl, operators));
  await pause(restMs);
  await startOnce(context, mongoUrl);
  const starts = await measureStarts(context, mongoUrl, emptyUrl);
  const env = await serviceEnvironment(context, { MONGODB_URL: mongoUrl, TRUSTED_PROXIES: '127.0.0.1' });
  const worker = await startProduct(context, 'worker', env);
  await pause(restMs);
  const api = await startProduct(context, 'api', env);
  const times = operators === 0 ? NO_TIMES : await readProfiles(context, mongoUrl, Number(env['PORT']), operators);
  await pause(restMs);
  const [workerBytes, apiBytes] = [await residentBytes(worker.pid), await residentBytes(api.pid)];
  await Promise.all([api.stop(), worker.stop()]);
  return {
    operators,
    loadMs: load.ms,
    ...starts,
    workerBytes: workerBytes ?? Number.NaN,
    apiBytes: apiBytes ?? Number.NaN,
    ...times,
    ...(await sizeOfBase(mongoUrl)),
  };
}

/**
 * Median times of profiles read for the first and the second time, and of finding an operator through the driver, one at a
 * time and alternating. The process is warmed up; a cold profile is one whose board pages are not cached.
 */
async function readProfiles(
  context: BenchContext,
  mongoUrl: string,
  port: number,
  operators: number,
): Promise<ProfileTimes> {
  const count = context.option('profiles', { full: 200, tiny: 20 });
  const others = context.option('others', WARM_UP_READS);

  const api = await LoadConnection.open('127.0.0.1', port);
  const mongo = await openMongo(mongoUrl);
  const pick = (): string => seededCodename(Math.floor(Math.random() * operators));
  const profile = async (codename: string): Promise<number> => (await timed(() => getProfile(api, port, codename))).ms;
  const find = async (codename: string): Promise<number> =>
    (await timed(() => mongo.collection('operators').findOne({ codename }))).ms;
  try {
    // All on the first few pages, which contain few of the measured operators of a large population.
    for (let round = 0; round < others; round++) {
      const codename = seededCodename(round % operators);
      await profile(codename);
      await find(codename);
    }
    const [cold, warm, found]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < count; round++) {
      const codename = pick();
      cold.push(await profile(codename));
      found.push(await find(pick()));
      warm.push(await profile(codename));
    }
    return { coldProfileMs: median(cold), warmProfileMs: median(warm), findOneMs: median(found) };
  } finally {
    api.close();
    await mongo.close();
  }
}

/** Sends each request from another client address, so that no quota of the service is reached. */
async function getProfile(connection: LoadConnection, port: number, codename: string): Promise<void> {
  requests += 1;
  const client = `10.0.${(requests >> 8) & 255}.${requests & 255}`;
  const head = `Host: 127.0.0.1:${port}\r\nX-Forwarded-For: ${client}\r\n`;
  const request = `GET /api/v1/operators/${codename} HTTP/1.1\r\n${head}\r\n`;
  const { status, body } = await connection.exchange(Buffer.from(request, 'latin1'));
  if (status !== 200) throw new Error(`${codename} returned ${status} ${body}`);
}

/** Bytes of the largest base run's pages, and their share of the collection's size on disk. */
async function sizeOfBase(mongoUrl: string): Promise<Pick<PopulationScale, 'baseBytes' | 'baseStoredBytes'>> {
  const connection = await openMongo(mongoUrl);
  try {
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
  } finally {
    await connection.close();
  }
}
