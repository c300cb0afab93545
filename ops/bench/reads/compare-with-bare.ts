import { fileURLToPath } from 'node:url';
import { alternate } from '../frame/alternate.ts';
import { type BenchContext, type Figure, figure } from '../frame/bench.ts';
import { withCpuTime } from '../frame/cpu-time.ts';
import { seedPopulation } from '../frame/seed-population.ts';
import { type BenchProcess, serviceEnvironment, startProcess } from '../frame/service/start-service.ts';
import { median, threeDigits } from '../frame/statistics.ts';
import { startTaskProcess, type TaskProcess } from '../frame/task-process.ts';
import { type BareResponse, captureResponse } from './bare-response.ts';
import type { Load, LoadRequest, ReadTasks } from './client-main.ts';

const BARE = fileURLToPath(new URL('bare-main.ts', import.meta.url));
export const CONNECTIONS = 32;
export const WARM_UP_MS = { full: 1_000, tiny: 200 } as const;

/** One server under one load. */
export interface Measured {
  /** Responses per second. */
  readonly rate: number;
  /** CPU microseconds of the server per response, and those of the load client. */
  readonly cpuMicros: number;
  readonly clientMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export type ReadClient = TaskProcess<ReadTasks>;

/** Starts a load client in a separate process. */
export function startReadClient(context: BenchContext): Promise<ReadClient> {
  return startTaskProcess<ReadTasks>(context, new URL('client-main.ts', import.meta.url));
}

/** One server under requests in a closed loop or, with `perSecond`, in an open one. @throws for other statuses than `expected` */
export async function measureServer(
  client: ReadClient,
  { port, pid, name }: BenchProcess,
  request: LoadRequest & Partial<Pick<Load, 'connections' | 'perSecond' | 'settleMs'>>,
  durationMs: number,
  expected = 200,
): Promise<Measured> {
  const load = { connections: CONNECTIONS, ...request, port, durationMs };
  const { value, cpu } = await withCpuTime({ server: pid, client: client.pid }, () => client.request('load', load));
  const { responses: count, statuses, broken, seconds, p50Ms, p99Ms } = value;
  if (count === 0 || statuses[expected] !== count || broken > 0) {
    throw new Error(`${name} returned ${JSON.stringify(statuses)} and broke ${broken} connections`);
  }
  const [cpuMicros = Number.NaN, clientMicros = Number.NaN] = Object.values(cpu).map((used) => (used * 1e6) / count);
  return { rate: count / seconds, cpuMicros, clientMicros, p50Ms, p99Ms };
}

/**
 * Compares requests to the api over seeded operators, and to further servers, with a bare server that sends the same bytes and
 * headers. `startApis` returns the api first; `times` multiplies the rounds of a request.
 */
export async function compareWithBare(
  context: BenchContext,
  requests: readonly (LoadRequest & { readonly times?: number })[],
  shape: Readonly<Record<'operators' | 'seconds' | 'rounds', number>>,
  startApis: () => Promise<readonly BenchProcess[]>,
) {
  const { mongoUrl } = await context.engines();
  await seedPopulation(mongoUrl, shape.operators);
  context.progress(`${shape.operators} operators are on the board`);
  const apis = await startApis();
  const responses: BareResponse[] = [];
  for (const request of requests) responses.push(await captureResponse(apis[0]!.port, request));
  const env = await serviceEnvironment(context);
  const servers = [await startProcess(context, 'bare node:http', BARE, env, [JSON.stringify(responses)]), ...apis];
  const client = await startReadClient(context);
  const compared: ComparedServers[] = [];
  for (const [index, request] of requests.entries()) {
    for (const server of servers) await measureServer(client, server, request, WARM_UP_MS[context.size]);
    const contestants = servers.map((server) => ({
      name: server.name,
      measure: () => measureServer(client, server, request, shape.seconds * 1_000),
    }));
    const taken = await alternate(contestants, shape.rounds * (request.times ?? 1));
    compared.push(compareServers(taken, Buffer.byteLength(responses[index]!.body, 'base64')));
  }
  return { client, api: apis[0]!, bare: servers[0]!, compared };
}

/** A server, the first, and others that are compared with it. */
export function compareServers(taken: ReadonlyMap<string, readonly Measured[]>, bytes = 0) {
  const [peer = []] = taken.values();
  const of = (server: string): readonly Measured[] => taken.get(server) ?? [];
  return {
    servers: [...taken.keys()],
    /** Size of the bare server's body. */
    bytes,
    median: (server: string, measure: keyof Measured) => median(of(server).map((one) => one[measure])),
    /** The medians of the ratios to the first server of the same round: of rates, and of inverse CPU times. */
    rateRatio: (server: string) => median(of(server).map(({ rate }, round) => rate / peer[round]!.rate)),
    cpuRatio: (server: string) => median(of(server).map(({ cpuMicros }, round) => peer[round]!.cpuMicros / cpuMicros)),
  };
}

export type ComparedServers = ReturnType<typeof compareServers>;

/** The ratios of rate and of CPU time to the bare server; CPU time varies less on a busy machine. */
export function figureOf(
  name: string,
  compared: ComparedServers,
  server = 'api',
): Figure & { readonly cpuRatio: number } {
  const against = 'a bare node:http server sending the same bytes and headers';
  const own = figure(name, compared.median(server, 'rate'), 'answers/s', compared.rateRatio(server), against);
  return { ...own, cpuRatio: threeDigits(compared.cpuRatio(server)) };
}
