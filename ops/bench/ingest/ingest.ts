import type { Connection } from '../../../engine/mongo/index.ts';
import { type Bench, type BenchContext, type BenchResult, figure } from '../frame/bench.ts';
import { withMongo } from '../frame/open-ranking.ts';
import { serviceSite, startBenchApi, startProduct } from '../frame/service/start-service.ts';
import { sum } from '../frame/statistics.ts';
import type { LoadReport } from './client-main.ts';
import { floorOf, measureFloor } from './floor.ts';
import { loadOperators, startClients } from './load-operators.ts';
import { cpuOf, type MeasuredLoad, measureLoad, wholeLoad } from './measure-load.ts';
import { profileStages } from './profile-stages.ts';
import { cpuTable, floorTable, latencyTable } from './report.ts';

/** Multiple of the given number in flight for the saturated load. */
const SATURATED = 2;

const FLOOR = 'the floor: its parts that no design can leave out, each bare';

/** Signed snapshots accepted end to end. */
export const ingest: Bench = {
  name: 'ingest',
  summary: 'signed snapshots a second, end to end, and their CPU time beside that of their bare parts',
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const { few, many, seconds, supply, connections } = context.options({
    few: [2_000, 40],
    many: [50_000, 200],
    seconds: [24, 1],
    supply: [6_000, 1_000],
    connections: [512, 32],
  });
  const requests = supply * seconds;
  /** Of one part of the floor. */
  const turnSeconds = Math.min(0.5, Math.max(0.2, seconds / 48));
  const { mongoUrl, pids } = await context.engines();
  const { baseUrl, metricsUrl, env } = await serviceSite(context);
  context.progress(`loading ${few + many} operators`);
  const operators = await loadOperators(mongoUrl, baseUrl, few + many);
  const client = await startClients(context, operators, baseUrl);
  const worker = await startProduct(context, 'worker', env);
  const api = await startBenchApi(context, env);
  const load = {
    client,
    pids: { client: client.pid, api: api.pid, worker: worker.pid, ...pids },
    metricsUrl,
    connections,
    seconds,
  };
  const sign = (first: number, count: number, wanted: number) =>
    client.request('sign', { first, operators: count, requests: wanted });
  const introduce = (first: number, count: number) =>
    client.request('introduce', { first, operators: count, connections });
  const third = async (): Promise<LoadReport> => client.request('submit', { connections, seconds: seconds / 3 });

  context.progress('warming up');
  await sign(0, few, Math.ceil(requests / 3));
  const warmUp = await third();
  const loads: MeasuredLoad[] = [];
  for (const [name, first, count, times] of [
    [`${few} operators`, 0, few, 1],
    [`${few} operators, twice as many in flight`, 0, few, SATURATED],
    [`${many} operators, worker cold`, few, many, 1],
  ] as const) {
    context.progress(`signing for ${name}`);
    await introduce(first, count);
    await sign(first, count, requests);
    const inFlight = connections * times;
    const parts = await measureLoad({ ...load, connections: inFlight });
    const sample = await client.request('sample', undefined);
    const { batchSize } = wholeLoad(parts);
    const floor = await measureFloor(context, { env, sample, batchSize: Math.ceil(batchSize), seconds: turnSeconds });
    loads.push({ name, inFlight, parts, floor });
  }
  await api.stop();
  await worker.stop();
  context.progress('profiling');
  const prepare = async (): Promise<void> => {
    await introduce(0, few);
    await sign(0, few, Math.ceil(requests / 3));
  };
  const { result: profiled, stages } = await profileStages(context, env, prepare, third);
  const measured = loads.flatMap(({ parts }) => parts.map(({ result }) => result));
  await withMongo(mongoUrl, (connection) => check(connection, [warmUp, profiled, ...measured]));
  latencyTable(context, loads);
  floorTable(context, loads);
  cpuTable(context, loads, stages);
  return resultOf(loads, { loads, stages });
}

interface VerdictCounts {
  readonly _id: string;
  readonly unchanged: readonly string[];
  readonly refused: readonly unknown[];
}

/** Checks responses against the database: every accepted snapshot is in the log and has an accepting verdict. */
async function check(connection: Connection, results: readonly LoadReport[]): Promise<void> {
  const odd = results.flatMap(({ oddResponses }) => oddResponses);
  if (odd.length > 0) throw new Error(`submissions were not accepted: ${odd.join(' | ')}`);
  const snapshots = connection.collection('snapshots');
  const entries = await snapshots.countDocuments();
  const batches: string[] = await snapshots.distinct('batch');
  const verdicts = await connection.collection<VerdictCounts>('verdicts').find().toArray();
  const decided = new Set(verdicts.map(({ _id }) => _id));
  const undecidedBatches = batches.filter((batch) => !decided.has(batch)).length;
  const counted = (of: 'refused' | 'unchanged'): number => sum(verdicts.map((verdict) => verdict[of].length));
  const logged = { entries, undecidedBatches, refused: counted('refused'), unchanged: counted('unchanged') };
  const total = (of: 'sent' | 'accepted' | 'changed' | 'pending'): number => sum(results.map((result) => result[of]));
  const [sent, accepted, changed, pending] = [total('sent'), total('accepted'), total('changed'), total('pending')];
  const holds =
    entries === sent &&
    logged.refused === 0 &&
    accepted + pending === sent &&
    (pending > 0 || (undecidedBatches === 0 && entries - logged.unchanged === changed));
  if (!holds) {
    throw new Error(
      `responses and database differ: ${JSON.stringify({ sent, accepted, changed, pending, ...logged })}`,
    );
  }
}

function resultOf(loads: readonly MeasuredLoad[], details: Readonly<Record<string, unknown>>): BenchResult {
  const byTime = loads.map(({ name, parts }) => figure(name, wholeLoad(parts).perSecond, 'snapshots/s'));
  const byCpu = loads.map(({ name, parts, floor }) => {
    const cpu = cpuOf(wholeLoad(parts).cpu);
    return figure(`${name}, by CPU time`, cpu, 'us', floorOf(floor) / cpu, FLOOR);
  });
  const [first] = byCpu;
  if (first === undefined) throw new Error('nothing was measured');
  return { ...first, name: 'ingest', figures: [...byTime, ...byCpu], details };
}
