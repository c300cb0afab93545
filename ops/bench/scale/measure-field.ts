import { setTimeout as pause } from 'node:timers/promises';
import { openMongo } from '../../../engine/mongo/index.ts';
import type { BenchContext } from '../bench.ts';
import { residentBytes } from '../frame/cpu-time.ts';
import { seededCodename, seedField } from '../frame/seed-field.ts';
import { serviceEnvironment, startBenchApi, startBenchWorker } from '../frame/service/start-service.ts';
import { median } from '../frame/statistics.ts';
import { LoadConnection } from '../ingest/load-connection.ts';
import type { FieldScale } from './field-scale.ts';

/** Time that processes get to come to rest before their memory is read: the worker reads the board by then. */
const REST_MS = 5_000;

/** Fills a database of its own and runs api and worker over it. */
export async function measureField(context: BenchContext, operators: number, profiles: number): Promise<FieldScale> {
  const mongoUrl = await databaseFor(context, operators);
  const load = await timed(() => seedField(mongoUrl, operators));
  const env = await serviceEnvironment(context, { MONGODB_URL: mongoUrl });
  const worker = await timed(() => startBenchWorker(context, env));
  const api = await timed(() => startBenchApi(context, env));
  const chosen = Array.from({ length: Math.min(profiles, operators) }, () =>
    seededCodename(Math.floor(Math.random() * operators)),
  );
  const [coldProfileMs, warmProfileMs] = operators === 0 ? [0, 0] : await readProfiles(Number(env['PORT']), chosen);
  const findOneMs = operators === 0 ? 0 : await findEach(mongoUrl, chosen);
  await pause(REST_MS);
  const [workerBytes, apiBytes] = [await residentBytes(worker.value.pid), await residentBytes(api.value.pid)];
  await Promise.all([api.value.stop(), worker.value.stop()]);
  return {
    operators,
    loadMs: load.ms,
    workerStartMs: worker.ms,
    apiStartMs: api.ms,
    workerBytes: workerBytes ?? Number.NaN,
    apiBytes: apiBytes ?? Number.NaN,
    coldProfileMs,
    warmProfileMs,
    findOneMs,
    ...(await sizeOfBase(mongoUrl)),
  };
}

async function databaseFor(context: BenchContext, operators: number): Promise<string> {
  const url = new URL((await context.engines()).mongoUrl);
  url.pathname += `-${operators}`;
  return url.href;
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const started = performance.now();
  const value = await work();
  return { ms: performance.now() - started, value };
}

/** Median times of the first and of the third reading, one request at a time. */
async function readProfiles(port: number, codenames: readonly string[]): Promise<[cold: number, warm: number]> {
  const connection = await LoadConnection.open('127.0.0.1', port);
  const read = async (codename: string): Promise<number> => {
    const request = `GET /api/v1/operators/${codename} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
    const { ms, value } = await timed(() => connection.exchange(Buffer.from(request, 'latin1')));
    if (value.status !== 200) throw new Error(`${codename} was answered ${value.status} ${value.body}`);
    return ms;
  };
  const rounds: number[][] = [];
  for (let round = 0; round < 3; round++) {
    const times: number[] = [];
    for (const codename of codenames) times.push(await read(codename));
    rounds.push(times);
  }
  connection.close();
  return [median(rounds[0] ?? []), median(rounds[2] ?? [])];
}

async function findEach(mongoUrl: string, codenames: readonly string[]): Promise<number> {
  const connection = await openMongo(mongoUrl);
  try {
    const operators = connection.collection('operators');
    const times: number[] = [];
    for (const codename of codenames) times.push((await timed(() => operators.findOne({ codename }))).ms);
    return median(times);
  } finally {
    await connection.close();
  }
}

/** The pages of the greatest base there is, and their share of what the collection takes on disk. */
async function sizeOfBase(mongoUrl: string): Promise<Pick<FieldScale, 'baseBytes' | 'baseStoredBytes'>> {
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
