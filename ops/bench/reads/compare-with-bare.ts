import { fileURLToPath } from 'node:url';
import { alternate } from '../frame/alternate.ts';
import { type BenchContext, type Figure, figure } from '../frame/bench.ts';
import { withCpuTime } from '../frame/cpu-time.ts';
import { seedPopulation } from '../frame/seed-population.ts';
import { type BenchProcess, serviceEnvironment, startBenchApi, startProcess } from '../frame/service/start-service.ts';
import { median, threeDigits } from '../frame/statistics.ts';
import { startTaskProcess } from '../frame/task-process.ts';
import { type BareResponse, captureResponse } from './bare-response.ts';
import type { ReadTasks } from './client-main.ts';

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

/** Compares GET requests to an api over seeded operators with a bare server that sends the same bytes and headers. */
export async function compareWithBare(
  context: BenchContext,
  paths: readonly string[],
  shape: Readonly<Record<'operators' | 'seconds' | 'rounds', number>>,
  withoutFastPath: boolean,
): Promise<readonly ComparedPath[]> {
  const { mongoUrl } = await context.engines();
  await seedPopulation(mongoUrl, shape.operators);
  context.progress(`${shape.operators} operators are on the board`);
  const api = await startBenchApi(context, await serviceEnvironment(context));
  const responses: BareResponse[] = [];
  for (const path of paths) responses.push(await captureResponse(api.port, path));
  const env = await serviceEnvironment(context);
  const servers = [await startProcess(context, 'bare node:http', BARE, env, [JSON.stringify(responses)]), api];
  if (withoutFastPath) {
    servers.push(await startBenchApi(context, await serviceEnvironment(context), { fastPath: false }));
  }
  const client = await startTaskProcess<ReadTasks>(context, new URL('client-main.ts', import.meta.url));
  const measure = async ({ port, pid, name }: BenchProcess, path: string, durationMs: number): Promise<Measured> => {
    const load = { port, path, connections: CONNECTIONS, durationMs };
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

/** A bare `node:http` server, the first, and servers that are compared with it on one path. */
function comparedPath(taken: ReadonlyMap<string, readonly Measured[]>, bytes: number) {
  const [bare = []] = taken.values();
  const of = (server: string): readonly Measured[] => taken.get(server) ?? [];
  return {
    servers: [...taken.keys()],
    /** Size of the response's body. */
    bytes,
    median: (server: string, measure: keyof Measured) => median(of(server).map((one) => one[measure])),
    /** The medians of the ratios to the bare server of the same round: of rates, and of inverse CPU times. */
    rateRatio: (server: string) => median(of(server).map(({ rate }, round) => rate / bare[round]!.rate)),
    cpuRatio: (server: string) => median(of(server).map(({ cpuMicros }, round) => bare[round]!.cpuMicros / cpuMicros)),
  };
}

type ComparedPath = ReturnType<typeof comparedPath>;

/** The ratios of rate and of CPU time to the bare server; CPU time varies less on a busy machine. */
export function figureOf(name: string, path: ComparedPath, server = 'api'): Figure & { readonly cpuRatio: number } {
  const against = 'a bare node:http server sending the same bytes and headers';
  const own = figure(name, path.median(server, 'rate'), 'answers/s', path.rateRatio(server), against);
  return { ...own, cpuRatio: threeDigits(path.cpuRatio(server)) };
}
