import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Queue, QueueEvents, Worker } from 'bullmq';
import { MICROSECONDS_PER_MS, MS_PER_SECOND } from '../../../config/units.ts';
import { type Connection, DURABLE, openMongo } from '../../../engine/mongo/index.ts';
import { verifySignature } from '../../../engine/ranking/ingest/verification/verify-signature.ts';
import { toBinary } from '../../../engine/ranking/storage/binary.ts';
import { openBlockingRedis } from '../../runtime/stores/index.ts';
import { alternate } from '../frame/alternate.ts';
import type { BenchContext } from '../frame/bench.ts';
import { withCpuTime } from '../frame/cpu-time.ts';
import { LoadConnection } from '../frame/load-connection.ts';
import { rethrow } from '../frame/open-ranking.ts';
import { startProcess } from '../frame/service/start-service.ts';
import { median, sum } from '../frame/statistics.ts';
import { bareResponse } from '../reads/bare-response.ts';
import type { ExchangeSample } from './client-main.ts';

const BARE = fileURLToPath(new URL('../reads/bare-main.ts', import.meta.url));
const CONNECTIONS = 64;
const TURNS = 3;
/** Operations between two looks at the clock. */
const UNCLOCKED = 32;
/** Bytes of an operator's packed state: totals of four windows and a stream of a few hours. */
const STATE_BYTES = 512;

/**
 * CPU microseconds per snapshot of the parts that no design can leave out, each bare: one process does nothing else, and the
 * other processes that take part count, too.
 */
export type Floor = Readonly<Record<string, number>>;

export const floorOf = (floor: Floor): number => sum(Object.values(floor));

/** A part: does its work once and returns for how many snapshots. */
type Part = () => number | Promise<number>;

export interface FloorSetting {
  readonly env: Readonly<Record<string, string>>;
  /** One exchange of the measured load. */
  readonly sample: ExchangeSample;
  readonly batchSize: number;
  /** Duration of one turn of one part. */
  readonly seconds: number;
}

/** Measures the parts in turns. */
export async function measureFloor(context: BenchContext, setting: FloorSetting): Promise<Floor> {
  const { mongoUrl, redisUrl, pids } = await context.engines();
  const connection = await openMongo(mongoUrl);
  const http = await openExchange(context, setting);
  const queue = await openJob(redisUrl, setting.batchSize);
  const parts: Readonly<Record<string, Part>> = {
    'HTTP exchange': http.exchange,
    ...inMemory(setting.sample),
    ...(await storing(connection, setting)),
    job: () => queue.run(),
  };
  const processes = { own: process.pid, bare: http.pid, ...pids };
  try {
    const taken = await alternate(
      Object.entries(parts).map(([name, part]) => ({
        name,
        measure: async () => {
          const { value: snapshots, cpu } = await withCpuTime(processes, () => repeat(part, setting.seconds));
          return (sum(Object.values(cpu)) * MS_PER_SECOND * MICROSECONDS_PER_MS) / snapshots;
        },
      })),
      TURNS,
    );
    return Object.fromEntries([...taken].map(([name, values]) => [name, median(values)]));
  } finally {
    await queue.close();
    await http.stop();
    await connection.close();
  }
}

async function repeat(part: Part, seconds: number): Promise<number> {
  let snapshots = 0;
  for (const until = performance.now() + seconds * MS_PER_SECOND; performance.now() < until; )
    snapshots += await part();
  return snapshots;
}

/** A client's request and the response of a bare server of node:http, of the same bytes. */
async function openExchange(context: BenchContext, { env, sample }: FloorSetting) {
  const responses = [bareResponse('/api/v1/snapshots', sample.head, Buffer.from(sample.body, 'latin1'))];
  const server = await startProcess(context, 'bare node:http', BARE, env, [JSON.stringify(responses)]);
  const connections = await LoadConnection.openAll(server.port, CONNECTIONS);
  const request = Buffer.from(sample.request, 'latin1');
  return {
    pid: server.pid,
    exchange: async () => (await Promise.all(connections.map((connection) => connection.exchange(request)))).length,
    stop(): Promise<unknown> {
      for (const connection of connections) connection.close();
      return server.stop();
    },
  };
}

function bodyOf({ request }: ExchangeSample): string {
  return request.slice(request.indexOf('\r\n\r\n') + 4);
}

function inMemory(sample: ExchangeSample): Record<string, Part> {
  const body = bodyOf(sample);
  const [signed, signature] = [sample.signed, sample.signature].map((text) => Buffer.from(text, 'base64'));
  return {
    'JSON.parse': () => often(() => JSON.parse(body)),
    'Ed25519 verification': () => often(() => verifySignature(signed!, sample.publicKey, signature!)),
  };
}

function often(work: () => unknown): number {
  for (let time = 0; time < UNCLOCKED; time++) if (work() === false) throw new Error('a signature does not verify');
  return UNCLOCKED;
}

const newState = () => ({ state: toBinary(randomBytes(STATE_BYTES)) });

/** One journaled insert of a batch, and one update that maps the operators of a batch to their new states. */
async function storing(connection: Connection, { sample, batchSize }: FloorSetting): Promise<Record<string, Part>> {
  const entry: Readonly<Record<string, unknown>> = JSON.parse(bodyOf(sample));
  const entries = connection.collection<{ _id: string }>('floor_snapshots');
  const states = connection.collection<{ _id: number; state: ReturnType<typeof toBinary> }>('floor_operators');
  const numbers = Array.from({ length: batchSize }, (_, number) => number);
  await states.deleteMany({});
  await states.insertMany(numbers.map((number) => ({ _id: number, ...newState() })));
  return {
    insertMany: async () => {
      const batch = randomBytes(8).toString('hex');
      const documents = numbers.map((number) => ({ ...entry, _id: `${number}.${batch}`, batch }));
      return (await entries.insertMany(documents, { ordered: false, ...DURABLE })).insertedCount;
    },
    updateMany: async () => {
      const next = { $literal: numbers.map(() => newState().state) };
      const update = [
        { $set: { state: { $arrayElemAt: [next, { $indexOfArray: [{ $literal: numbers }, '$_id'] }] } } },
      ];
      return (await states.updateMany({ _id: { $in: numbers } }, update, DURABLE)).modifiedCount;
    },
  };
}

/** A job that does nothing, from its addition to the event of its end. */
async function openJob(redisUrl: string, batchSize: number) {
  const connections = [1, 2, 3].map(() => openBlockingRedis(redisUrl, rethrow));
  const [connection, ofWorker, ofEvents] = connections;
  const queue = new Queue('floor', { connection: connection! });
  const worker = new Worker('floor', async () => null, { connection: ofWorker! });
  const events = new QueueEvents('floor', { connection: ofEvents! });
  await Promise.all([worker.waitUntilReady(), events.waitUntilReady()]);
  return {
    async run() {
      const completed = new Promise((resolve) => void events.once('completed', resolve));
      await queue.add('nothing', null, { removeOnComplete: true });
      await completed;
      return batchSize;
    },
    async close() {
      await Promise.all([worker.close(), queue.close(), events.close()]);
      for (const one of connections) one.disconnect();
    },
  };
}
