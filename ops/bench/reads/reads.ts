import { fileURLToPath } from 'node:url';
import { processEnvironment } from '../../../config/env.ts';
import { MICROSECONDS_PER_MS, MS_PER_SECOND } from '../../../config/units.ts';
import { launch } from '../../local/process/launch.ts';
import type { ReadRequest } from '../client/requests.ts';
import { type Client, startClient } from '../client/start-client.ts';
import { againstCommit } from '../frame/against.ts';
import { type BenchContext, defineBench, type Figure, figure } from '../frame/bench.ts';
import { withCpuTime } from '../frame/cpu-time.ts';
import { alternate, median, medianRatio } from '../frame/statistics.ts';
import { benchCodename } from '../sides/seed-population.ts';
import { openSides, type Side } from '../sides/side.ts';
import { measureProfiles } from './measure-profiles.ts';
import { recordResponse } from './record-response.ts';

const BARE = fileURLToPath(new URL('bare-main.ts', import.meta.url));
const LEADERBOARD = '/api/v1/leaderboard';
const PROFILE = `/api/v1/operators/${benchCodename(42)}`;
const CONNECTIONS = 32;
const WARM_UP_ROUNDS = { full: 2, tiny: 0 } as const;
const START_MS = 30_000;
/** Requests of one client that may be served: a round can be in two windows of its quota. */
const WITHIN_QUOTA = 2 * 60;

/** Clients of one kind of request that stay within their quotas: no service serves as many requests as these may make. */
const many = (group: number) => ({ count: 50_000, first: 50_000 * (group + 1) });

/** Requests, and the status of their responses. One client has higher quotas; all others have the product's. */
const CASES = [
  { name: 'leaderboard, one client', path: LEADERBOARD },
  { name: 'leaderboard, 50,000 clients', path: LEADERBOARD, clients: many(0) },
  { name: 'profile, 50,000 clients', path: PROFILE, clients: many(1) },
  { name: 'over the quota, 429', path: LEADERBOARD, clients: { count: 1, first: 1 }, status: 429 },
  { name: 'unknown path, 404', path: '/api/v1/CLIENT', clients: many(2), status: 404 },
  { name: 'method not allowed, 405', path: LEADERBOARD, method: 'DELETE', clients: many(3), status: 405 },
] as const satisfies readonly (ReadRequest & { readonly name: string; readonly status?: number })[];

type Case = (typeof CASES)[number];
type CaseName = Case['name'];

/** A server, and the clients of it. */
interface Server {
  readonly name: string;
  readonly pid: number;
  readonly client: Client;
}

interface Measured {
  /** Responses per second. */
  readonly rate: number;
  /** CPU microseconds of the server per response. */
  readonly cpuMicros: number;
  readonly p99Ms: number;
}

export const reads = defineBench({
  name: 'reads',
  summary: 'cached reads and refusals against bare node:http with the same bytes, profiles against findOne',
  method:
    'One api process and 32 connections that send the next request after each response. The bare server is `node:http` alone, ' +
    'which sends the same bytes and headers. Many clients are 50,000 addresses behind a trusted proxy. Rates and CPU times are ' +
    'medians of alternating rounds. A profile is read for the first time, so that nothing has cached it, one at a time.',
  options: { operators: [5_000, 200], seconds: [0.5, 0.1], rounds: [14, 1], profiles: [300, 20] },
  async run(context, { operators, seconds, rounds, profiles }) {
    const services = await openSides(context, (side) => startService(context, side, operators));
    const bare = await startBare(context, services[0].limited.port, services[0].nodeArgs);
    const taken = new Map<CaseName, readonly (readonly Measured[])[]>();
    for (const one of CASES) {
      context.progress(one.name);
      const servers = [
        ...services.map(({ limited, unlimited }) => ('clients' in one ? limited : unlimited)),
        ...('status' in one ? [] : [bare]),
      ];
      await alternate(servers, WARM_UP_ROUNDS[context.size], (server) => measure(server, one, seconds));
      taken.set(one.name, await alternate(servers, rounds, (server) => measure(server, one, seconds)));
    }
    context.table(`${CONNECTIONS} connections, ${operators} operators, medians of ${rounds} alternating rounds`, [
      ['request', 'server', 'responses/s', 'CPU us', 'p99 ms'],
      ...[...taken].flatMap(([name, measured]) => {
        const names = [...context.trees.map((tree) => `api, ${tree.name}`), 'bare node:http'];
        return measured.map((one, server) => [name, names[server]!, ...shown(one)]);
      }),
    ]);
    const { mongoUrl, limited } = services[0];
    const warmUp = context.size === 'full' ? 1_500 : 20;
    const profile = await measureProfiles({ mongoUrl, port: limited.port }, { operators, profiles, warmUp });
    return [
      againstBare('leaderboard, one client', taken, 0.7),
      againstBare('leaderboard, 50,000 clients', taken, 0.5),
      dearestRefusal(taken),
      figure('profile, first read', profile.firstMs, 'ms', {
        ratio: profile.firstMs / profile.findOneMs,
        peer: 'of one indexed findOne',
        atMost: 3,
      }),
      ...[...taken].flatMap(([name, measured]) => {
        const rates = measured.slice(0, services.length).map((one) => of(one, 'rate'));
        return againstCommit(context, name, 'responses/s', rates);
      }),
    ];
  },
});

/** Starts two apis of a tree over a seeded database: one with the product's quotas, one with higher ones. */
async function startService(context: BenchContext, side: Side, operators: number) {
  const mongoUrl = side.newDatabase();
  await side.fill(mongoUrl, (population) => population.request('seed', { operators }));
  const start = async (kind: 'startApi' | 'startUnlimitedApi') => {
    const { pid, port } = await side[kind](await side.environmentOf(mongoUrl));
    return { name: `api, ${side.name}`, pid, port, client: await startClient(context, port) };
  };
  const { nodeArgs } = side;
  return {
    mongoUrl,
    nodeArgs: nodeArgs.api,
    limited: await start('startApi'),
    unlimited: await start('startUnlimitedApi'),
  };
}

async function startBare(context: BenchContext, port: number, nodeArgs: readonly string[]): Promise<Server> {
  const responses = [await recordResponse(port, LEADERBOARD), await recordResponse(port, PROFILE)];
  const child = await launch({
    name: 'bare node:http',
    entry: BARE,
    args: [JSON.stringify(responses)],
    nodeArgs,
    env: processEnvironment(),
    readyWithinMs: START_MS,
    stopWithinMs: START_MS,
    output: 'through',
  });
  context.onClose(() => child.stop());
  return { name: child.name, pid: child.pid, client: await startClient(context, Number(child.details['port'])) };
}

async function measure({ client, pid, name }: Server, { name: what, ...one }: Case, seconds: number) {
  const status = 'status' in one ? one.status : 200;
  const load = { requests: one, connections: CONNECTIONS, seconds, status };
  const { value, cpu } = await withCpuTime([pid], () => client.request('load', load));
  if (value.expected + (status === 429 ? WITHIN_QUOTA : 0) < value.sent) {
    throw new Error(`${name}, ${what}: ${JSON.stringify(value)}`);
  }
  const cpuMicros = (cpu[0]! * MS_PER_SECOND * MICROSECONDS_PER_MS) / value.sent;
  return { rate: value.sent / value.seconds, cpuMicros, p99Ms: value.latencies.p99 };
}

const of = (rounds: readonly Measured[], member: keyof Measured): number[] => rounds.map((one) => one[member]);

function shown(rounds: readonly Measured[]): readonly string[] {
  const value = (member: keyof Measured): number => median(of(rounds, member));
  return [value('rate').toFixed(0), value('cpuMicros').toFixed(1), value('p99Ms').toFixed(2)];
}

type Taken = ReadonlyMap<CaseName, readonly (readonly Measured[])[]>;

function againstBare(name: CaseName, taken: Taken, atLeast: number): Figure {
  const measured = taken.get(name) ?? [];
  const [own, bare] = [measured[0]!, measured.at(-1)!].map((rounds) => of(rounds, 'rate'));
  const peer = 'of bare node:http';
  return figure(name, median(own!), 'responses/s', { ratio: medianRatio(own!, bare!), peer, atLeast });
}

/** The refusal that takes the most CPU time, against a cached read of as many clients. */
function dearestRefusal(taken: Taken): Figure {
  const served = of(taken.get('leaderboard, 50,000 clients')![0]!, 'cpuMicros');
  const refusals = CASES.filter((one) => 'status' in one).map(({ name }) => of(taken.get(name)![0]!, 'cpuMicros'));
  const cpu = Math.max(...refusals.map(median));
  const peer = 'of the cached leaderboard, 50,000 clients';
  return figure('CPU time of a refusal (the dearest of 429, 404, 405)', cpu, 'us', {
    ratio: cpu / median(served),
    peer,
    atMost: 1.5,
  });
}
