import type { Bench, BenchContext, BenchResult } from '../frame/bench.ts';
import { TRUSTED_PROXIES } from '../frame/client-headers.ts';
import { benchCodename } from '../frame/seed-population.ts';
import { serviceEnvironment, startProduct } from '../frame/service/start-service.ts';
import { CONNECTIONS, type ComparedServers, compareWithBare, figureOf } from '../reads/compare-with-bare.ts';
import { LEADERBOARD, many, NEW, PROFILE } from './client-groups.ts';
import { measureFlood } from './measure-flood.ts';
import { measureMemory } from './measure-memory.ts';
import { measureProcesses } from './measure-processes.ts';
import { measureRefusals } from './measure-refusals.ts';
import { measureSharing } from './measure-sharing.ts';

/** `tools/call` of the leaderboard. */
const TOOL_CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'get_leaderboard', arguments: {} },
});

/** The requests, and the required share of the bare server's rate. */
const CASES = [
  { name: 'leaderboard, 50,000 clients', path: LEADERBOARD, clients: many(0), target: { atLeast: 0.85 } },
  // As many clients as a window counts exactly, in all rounds: a limiter may become slower as its clients become more.
  {
    name: 'leaderboard, each request a new client',
    path: LEADERBOARD,
    clients: NEW,
    maxRequests: 15_000,
    target: { atLeast: 0.7 },
    times: 2,
  },
  { name: 'leaderboard, 50,000 IPv6 /64s', path: LEADERBOARD, clients: { ...many(1), family: 6 } },
  { name: 'leaderboard, two proxies', path: LEADERBOARD, clients: { ...many(2), proxies: 2 } },
  { name: 'leaderboard, random query', path: `${LEADERBOARD}?utm_source=RANDOM`, clients: many(3) },
  { name: 'profile, 50,000 clients', path: PROFILE, clients: many(4) },
  { name: 'home page, 50,000 clients', path: '/', clients: many(5) },
  { name: 'badge, 50,000 clients', path: `/badge/${benchCodename(42)}.svg`, clients: many(6) },
  { name: 'MCP tools/call, 50,000 clients', path: '/mcp', body: TOOL_CALL, clients: many(7) },
] as const;

/** Requests of many clients to an api with production quotas behind trusted proxies. */
export const clients: Bench = {
  name: 'clients',
  summary:
    'reads by many clients against bare node:http, refusals, a flood, several processes, and what counting clients takes',
  async run(context) {
    const {
      'new-clients': newClients,
      cases,
      ...shape
    } = context.options({
      operators: [5_000, 200],
      seconds: [0.5, 0.2],
      rounds: [28, 1],
      'new-clients': [1_000_000, 2_000],
      // Of the requests against bare node:http; the first one is the headline.
      cases: [CASES.length, CASES.length],
    });
    const selected = CASES.slice(0, Math.max(1, cases));
    const environment = (settings: Readonly<Record<string, string>> = {}) =>
      serviceEnvironment(context, { TRUSTED_PROXIES, ...settings });
    const start = async (settings?: Readonly<Record<string, string>>) =>
      startProduct(context, 'api', await environment(settings));
    const { api, bare, client, compared } = await compareWithBare(context, selected, shape, async () => [
      await start(),
    ]);
    printCases(context, compared);
    const refusals = await measureRefusals(context, client, api, shape);
    const measured = [
      ...selected.map(({ name, ...one }, index) => ({
        ...figureOf(name, compared[index]!),
        ...('target' in one ? { target: one.target } : {}),
      })),
      ...refusals.figures,
      ...(await measureFlood(context, client, [api, bare], { ...shape, ...refusals.rates })),
      ...(await measureSharing(context, client, [api, await start()], shape.seconds)),
      await measureMemory(context, client, await environment(), newClients),
      ...(await measureProcesses(context, client, [api, await start({ API_PROCESSES: '2' })], shape)),
    ];
    const details = { operators: shape.operators, connections: CONNECTIONS };
    return { ...measured[0]!, figures: measured, details } satisfies BenchResult;
  },
};

function printCases(context: BenchContext, compared: readonly ComparedServers[]): void {
  context.table(`Requests through trusted proxies, ${CONNECTIONS} connections, medians of alternating rounds`, [
    [
      'request',
      'bare answers/s',
      'answers/s',
      'ratio',
      'bare CPU us',
      'CPU us',
      'CPU ratio',
      'client CPU us',
      'p99 ms',
    ],
    ...compared.map((servers, index) => [
      CASES[index]!.name,
      servers.median('bare node:http', 'rate').toFixed(0),
      servers.median('api', 'rate').toFixed(0),
      servers.rateRatio('api').toFixed(3),
      servers.median('bare node:http', 'cpuMicros').toFixed(1),
      servers.median('api', 'cpuMicros').toFixed(1),
      servers.cpuRatio('api').toFixed(3),
      servers.median('api', 'clientMicros').toFixed(1),
      servers.median('api', 'p99Ms').toFixed(2),
    ]),
  ]);
}
