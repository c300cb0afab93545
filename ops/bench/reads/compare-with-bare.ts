import { fileURLToPath } from 'node:url';
import { alternate } from '../frame/alternate.ts';
import type { BenchContext, Figure } from '../frame/bench.ts';
import { withCpuTime } from '../frame/cpu-time.ts';
import { getRequest, startLoadClient } from '../frame/load/start-load-client.ts';
import { seedPopulation } from '../frame/seed-population.ts';
import { type BenchProcess, serviceEnvironment, startBenchApi, startProcess } from '../frame/service/start-service.ts';
import { median, threeDigits } from '../frame/statistics.ts';
import { type BareResponse, captureResponse } from './bare-response.ts';

const BARE = fileURLToPath(new URL('bare-main.ts', import.meta.url));
export const CONNECTIONS = 32;
const WARM_UP_MS = { full: 1_000, tiny: 200 } as const;

/** One server under one load. */
interface Measured {
  /** Responses per second. */
  readonly rate: number;
  /** CPU microseconds of the server per response. */
  readonly cpuMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A bare `node:http` server, and servers that are compared with it on one path. */
export interface ComparedPath {
  readonly servers: readonly string[];
  /** Size of the response's body. */
  readonly bytes: number;
  median(server: string, of: keyof Measured): number;
  /** The medians of the ratios to the bare server of the same round: of rates, and of inverse CPU times. */
  rateRatio(server: string): number;
  cpuRatio(server: string): number;
}

/** Compares GET requests to an api over seeded operators with a bare server that sends the same bytes and headers. */
export async function compareWithBare(
  context: BenchContext,
  paths: readonly string[],
  shape: {
    readonly operators: number;
    readonly withoutFastPath: boolean;
    readonly seconds: number;
    readonly rounds: number;
  },
): Promise<readonly ComparedPath[]> {
  const { mongoUrl } = await context.engines();
  await seedPopulation(mongoUrl, shape.operators);
  context.progress(`${shape.operators} operators are on the board`);
  const api = await startBenchApi(context, await serviceEnvironment(context));
  const responses: BareResponse[] = [];
  for (const path of paths) responses.push(await captureResponse(api.port, path));
  const env = await serviceEnvironment(context);
  const servers = [await startProcess(context, 'bare node:http', BARE, env, [JSON.stringify(responses)]), api];
  if (shape.withoutFastPath) {
    servers.push(await startBenchApi(context, await serviceEnvironment(context), { fastPath: false }));
  }
  const client = await startLoadClient(context);
  const measure = async ({ port, pid, name }: BenchProcess, path: string, durationMs: number): Promise<Measured> => {
    const load = { port, connections: CONNECTIONS, requests: [getRequest(path, port)], durationMs };
    const { value, cpu } = await withCpuTime({ server: pid }, () => client.request('load', load));
    const { responses: count, statuses, broken, seconds, p50Ms, p99Ms } = value;
    if (statuses['200'] !== count || broken > 0) {
      throw new Error(`${name} returned ${JSON.stringify(statuses)} and broke ${broken} connections`);
    }
    return { rate: count / seconds, cpuMicros: ((cpu['server'] ?? Number.NaN) * 1e6) / count, p50Ms, p99Ms };
  };
  const compared: ComparedPath[] = [];
  for (const [index, path] of paths.entries()) {
    for (const server of servers) await measure(server, path, WARM_UP_MS[context.size]);
    const contestants = servers.map((server) => ({
      name: server.name,
      measure: () => measure(server, path, shape.seconds * 1_000),
    }));
    const taken = await alternate(contestants, shape.rounds);
    compared.push(comparedPath(taken, Buffer.byteLength(responses[index]!.body, 'base64')));
  }
  return compared;
}

function comparedPath(taken: ReadonlyMap<string, readonly Measured[]>, bytes: number): ComparedPath {
  const [bare = []] = taken.values();
  const of = (server: string): readonly Measured[] => taken.get(server) ?? [];
  return {
    servers: [...taken.keys()],
    bytes,
    median: (server, measure) => median(of(server).map((one) => one[measure])),
    rateRatio: (server) => median(of(server).map(({ rate }, round) => rate / bare[round]!.rate)),
    cpuRatio: (server) => median(of(server).map(({ cpuMicros }, round) => bare[round]!.cpuMicros / cpuMicros)),
  };
}

/** The ratios of rate and of CPU time to the bare server; CPU time varies less on a busy machine. */
export function figureOf(name: string, path: ComparedPath, server = 'api'): Figure & { readonly cpuRatio: number } {
  return {
    name,
    value: threeDigits(path.median(server, 'rate')),
    unit: 'answers/s',
    ratio: threeDigits(path.rateRatio(server)),
    cpuRatio: threeDigits(path.cpuRatio(server)),
    against: 'a bare node:http server sending the same bytes and headers',
  };
}
