import { fileURLToPath } from 'node:url';
import type { Bench, BenchContext, BenchResult, Figure } from '../bench.ts';
import { alternate } from '../frame/alternate.ts';
import { withCpuTime } from '../frame/cpu-time.ts';
import type { LoadResult } from '../frame/load/load-messages.ts';
import { getRequest, type LoadClient, startLoadClient } from '../frame/load/start-load-client.ts';
import { seededCodename, seedPopulation } from '../frame/seed-population.ts';
import { type BenchProcess, serviceEnvironment, startBenchApi, startProcess } from '../frame/service/start-service.ts';
import { median, threeDigits } from '../frame/statistics.ts';
import { type BareResponse, captureResponse } from './bare-response.ts';

const BARE = fileURLToPath(new URL('bare-main.ts', import.meta.url));
const CONNECTIONS = 32;
const WARM_UP_MS = { full: 1_000, tiny: 200 } as const;

/** The requests, and the required share of the bare server's rate. */
const READS = [
  { name: 'leaderboard', path: '/api/v1/leaderboard', target: { atLeast: 0.9, aim: 0.95 } },
  { name: 'warm profile', path: `/api/v1/operators/${seededCodename(42)}`, target: { atLeast: 0.8, aim: 0.9 } },
] as const;

/** One server under one load. */
interface Measured {
  /** Responses per second. */
  readonly rate: number;
  /** CPU microseconds of the server per response. */
  readonly cpuMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Public reads of the api, with rate limiter, metrics and all headers, against bare `node:http` with the same bytes. */
export const reads: Bench = {
  name: 'reads',
  summary: 'leaderboard and profile against bare node:http sending the same bytes and headers',
  async run(context) {
    const operators = context.option('operators', { full: 5_000, tiny: 200 });
    const { mongoUrl } = await context.engines();
    await seedPopulation(mongoUrl, operators);
    context.progress(`${operators} operators are on the board`);
    const servers = await startServers(context);
    const client = await startLoadClient(context);
    const rows: string[][] = [['read', 'server', 'answers/s', 'ratio', 'CPU us', 'CPU ratio', 'p50 ms', 'p99 ms']];
    const figures: Figure[] = [];
    const withoutFastPath: Figure[] = [];
    for (const read of READS) {
      const taken = await measureAll(context, client, servers, read.path);
      for (const { name } of servers) rows.push(row(read.name, name, taken));
      figures.push({ ...figure(read.name, 'api', taken), target: read.target });
      withoutFastPath.push(figure(read.name, 'api without fast path', taken));
    }
    context.table(`Reads, ${CONNECTIONS} connections, ${operators} operators, medians of alternating rounds`, rows);
    return {
      ...figures[0]!,
      figures,
      details: { operators, connections: CONNECTIONS, withoutFastPath },
    } satisfies BenchResult;
  },
};

async function startServers(context: BenchContext): Promise<BenchProcess[]> {
  const api = await startBenchApi(context, await serviceEnvironment(context));
  const responses: BareResponse[] = [];
  for (const { path } of READS) responses.push(await captureResponse(api.port, path));
  const env = await serviceEnvironment(context);
  const bare = await startProcess(context, 'bare node:http', BARE, env, [JSON.stringify(responses)]);
  const koa = await startBenchApi(context, await serviceEnvironment(context), { fastPath: false });
  return [bare, api, koa];
}

async function measureAll(
  context: BenchContext,
  client: LoadClient,
  servers: readonly BenchProcess[],
  path: string,
): Promise<ReadonlyMap<string, readonly Measured[]>> {
  // Many short rounds: a disturbance of a second or two affects few of them.
  const durationMs = context.option('seconds', { full: 0.5, tiny: 0.2 }) * 1000;
  const rounds = context.option('rounds', { full: 28, tiny: 1 });
  const contestants = servers.map((server) => ({
    name: server.name,
    measure: () => measure(client, server, path, durationMs),
  }));
  for (const server of servers) await measure(client, server, path, WARM_UP_MS[context.size]);
  return alternate(contestants, rounds);
}

async function measure(client: LoadClient, server: BenchProcess, path: string, durationMs: number): Promise<Measured> {
  const { port, pid, name } = server;
  const load = { port, connections: CONNECTIONS, requests: [getRequest(path, port)], durationMs };
  const { value: result, cpu } = await withCpuTime({ server: pid }, () => client.run(load));
  requireOnlyOk(name, result);
  const cpuMicros = ((cpu['server'] ?? Number.NaN) * 1e6) / result.responses;
  const { responses, seconds, p50Ms, p99Ms } = result;
  return { rate: responses / seconds, cpuMicros, p50Ms, p99Ms };
}

function requireOnlyOk(name: string, { responses, statuses, broken }: LoadResult): void {
  if (statuses['200'] === responses && broken === 0) return;
  throw new Error(`${name} returned ${JSON.stringify(statuses)} and broke ${broken} connections`);
}

/** The median of a measure over the bare server's measure in the same round. */
function ratioOf(
  name: string,
  taken: ReadonlyMap<string, readonly Measured[]>,
  of: (one: Measured, bare: Measured) => number,
): number {
  const [bare = []] = taken.values();
  return median((taken.get(name) ?? []).map((one, round) => of(one, bare[round]!)));
}

function row(read: string, server: string, taken: ReadonlyMap<string, readonly Measured[]>): string[] {
  const all = taken.get(server) ?? [];
  const middle = (of: (one: Measured) => number): number => median(all.map(of));
  return [
    read,
    server,
    middle(({ rate }) => rate).toFixed(0),
    ratioOf(server, taken, (one, bare) => one.rate / bare.rate).toFixed(3),
    middle(({ cpuMicros }) => cpuMicros).toFixed(1),
    ratioOf(server, taken, (one, bare) => bare.cpuMicros / one.cpuMicros).toFixed(3),
    middle(({ p50Ms }) => p50Ms).toFixed(2),
    middle(({ p99Ms }) => p99Ms).toFixed(2),
  ];
}

/** The ratios of rate and of CPU time to the bare server; CPU time varies less on a busy machine. */
function figure(
  name: string,
  server: string,
  taken: ReadonlyMap<string, readonly Measured[]>,
): Figure & { readonly cpuRatio: number } {
  return {
    name,
    value: threeDigits(median((taken.get(server) ?? []).map(({ rate }) => rate))),
    unit: 'answers/s',
    ratio: threeDigits(ratioOf(server, taken, (one, bare) => one.rate / bare.rate)),
    cpuRatio: threeDigits(ratioOf(server, taken, (one, bare) => bare.cpuMicros / one.cpuMicros)),
    against: 'a bare node:http server sending the same bytes and headers',
  };
}
