import { fileURLToPath } from 'node:url';
import type { Bench, BenchContext, BenchResult, Figure } from '../bench.ts';
import { alternate } from '../frame/alternate.ts';
import { cpuSeconds } from '../frame/cpu-time.ts';
import { getRequest, type LoadClient, startLoadClient } from '../frame/load/start-load-client.ts';
import { seededCodename, seedPopulation } from '../frame/seed-population.ts';
import { type BenchProcess, serviceEnvironment, startBenchApi, startProcess } from '../frame/service/start-service.ts';
import { median, threeDigits } from '../frame/statistics.ts';
import { type BareResponse, captureResponse } from '../reads/bare-response.ts';

const BARE = fileURLToPath(new URL('../reads/bare-main.ts', import.meta.url));
const CONNECTIONS = 32;
const WARM_UP_MS = 1_000;

/** Pages, and the required share of the bare server's rate. An operator's page is rendered per request. */
const PAGES: readonly { readonly name: string; readonly path: string; readonly atLeast?: number }[] = [
  { name: 'home', path: '/', atLeast: 0.45 },
  { name: 'guide', path: '/developers/signing' },
  { name: 'operator', path: `/operators/${seededCodename(42)}` },
];

interface Measured {
  readonly rate: number;
  /** CPU microseconds of the server per response. */
  readonly cpuMicros: number;
  readonly p99Ms: number;
}

/** Cached pages of the api against bare `node:http` with the same bytes. */
export const site: Bench = {
  name: 'site',
  summary: 'the home page, warm, against bare node:http sending the same bytes and headers',
  async run(context) {
    const operators = context.option('operators', { full: 5_000, tiny: 200 });
    const { mongoUrl } = await context.engines();
    await seedPopulation(mongoUrl, operators);
    const api = await startBenchApi(context, await serviceEnvironment(context));
    const responses: BareResponse[] = [];
    for (const { path } of PAGES) responses.push(await captureResponse(api.port, path));
    const env = await serviceEnvironment(context);
    const bare = await startProcess(context, 'bare node:http', BARE, env, [JSON.stringify(responses)]);
    const client = await startLoadClient(context);
    const rows: string[][] = [['page', 'KiB', 'bare answers/s', 'answers/s', 'ratio', 'CPU ratio', 'p99 ms']];
    const figures: Figure[] = [];
    for (const [index, page] of PAGES.entries()) {
      const taken = await measurePage(context, client, bare, api, page.path);
      const bytes = Buffer.byteLength(responses[index]!.body, 'base64');
      rows.push(rowOf(page.name, bytes, taken));
      figures.push(figureOf(page, taken));
    }
    context.table(`Pages, ${CONNECTIONS} connections, ${operators} operators, medians of alternating rounds`, rows);
    return { ...figures[0]!, figures, details: { operators, connections: CONNECTIONS } } satisfies BenchResult;
  },
};

interface Taken {
  readonly bare: readonly Measured[];
  readonly api: readonly Measured[];
}

async function measurePage(
  context: BenchContext,
  client: LoadClient,
  bare: BenchProcess,
  api: BenchProcess,
  path: string,
): Promise<Taken> {
  const durationMs = context.option('seconds', { full: 2, tiny: 0.2 }) * 1000;
  const rounds = context.option('rounds', { full: 7, tiny: 1 });
  for (const server of [bare, api]) await measure(client, server, path, Math.min(WARM_UP_MS, durationMs));
  const contestants = [bare, api].map((server) => ({
    name: server.name,
    measure: () => measure(client, server, path, durationMs),
  }));
  const taken = await alternate(contestants, rounds);
  return { bare: taken.get(bare.name) ?? [], api: taken.get(api.name) ?? [] };
}

async function measure(client: LoadClient, server: BenchProcess, path: string, durationMs: number): Promise<Measured> {
  const before = await cpuSeconds(server.pid);
  const requests = [getRequest(path, server.port)];
  const result = await client.run({ port: server.port, connections: CONNECTIONS, requests, durationMs });
  const { responses, statuses, broken, seconds, p99Ms } = result;
  if (statuses['200'] !== responses || broken > 0) {
    throw new Error(`${server.name} returned ${JSON.stringify(statuses)} and broke ${broken} connections`);
  }
  const cpuMicros = (((await cpuSeconds(server.pid)) - before) * 1e6) / responses;
  return { rate: responses / seconds, cpuMicros, p99Ms };
}

/** The median of a measure of the api over the bare server's in the same round. */
function ratioOf({ api, bare }: Taken, of: (one: Measured, peer: Measured) => number): number {
  return median(api.map((one, round) => of(one, bare[round]!)));
}

function rowOf(name: string, bytes: number, taken: Taken): string[] {
  return [
    name,
    (bytes / 1024).toFixed(1),
    median(taken.bare.map(({ rate }) => rate)).toFixed(0),
    median(taken.api.map(({ rate }) => rate)).toFixed(0),
    ratioOf(taken, (one, peer) => one.rate / peer.rate).toFixed(3),
    ratioOf(taken, (one, peer) => peer.cpuMicros / one.cpuMicros).toFixed(3),
    median(taken.api.map(({ p99Ms }) => p99Ms)).toFixed(2),
  ];
}

function figureOf({ name, atLeast }: (typeof PAGES)[number], taken: Taken): Figure {
  return {
    name,
    value: threeDigits(median(taken.api.map(({ rate }) => rate))),
    unit: 'answers/s',
    ratio: threeDigits(ratioOf(taken, (one, peer) => one.rate / peer.rate)),
    against: 'a bare node:http server sending the same bytes and headers',
    target: atLeast === undefined ? undefined : { atLeast },
  };
}
