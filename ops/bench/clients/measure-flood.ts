import { constants, setPriority } from 'node:os';
import { alternate } from '../frame/alternate.ts';
import { type BenchContext, type Figure, figure } from '../frame/bench.ts';
import type { BenchProcess } from '../frame/service/start-service.ts';
import { median } from '../frame/statistics.ts';
import { type Measured, measureServer, type ReadClient, startReadClient } from '../reads/compare-with-bare.ts';
import { FLOODING, honestClients, LEADERBOARD } from './client-groups.ts';
import { onSeparateCores } from './pin.ts';

/** Share of the rate of served requests at which the honest clients read, and of that of refusals at which the flood comes. */
const HONEST_SHARE = 0.1;
const FLOOD_SHARE = 0.5;

/** Connections of the flood. */
const FLOOD_CONNECTIONS = 8;

/** Rounds are longer and fewer than those of other measurements: a p99 needs many requests. */
const LONGER = 4;

/** Least share of the rate of a flood that each one of them reaches. */
const MIN_ANSWERED = 0.8;

/** How long a flood goes on after the honest clients, in milliseconds, because both do not begin at the same moment. */
const FLOOD_ON_MS = 100;

/**
 * Latency of 1,000 clients within their quotas, with and without a flood of refused requests, both in open loops; that of a bare
 * server under the same requests; and that of the api beside a flood of the bare server, whose growth is the machine's alone.
 */
export async function measureFlood(
  context: BenchContext,
  client: ReadClient,
  [api, bare]: readonly [api: BenchProcess, bare: BenchProcess],
  rates: Readonly<Record<'seconds' | 'rounds' | 'served' | 'refused', number>>,
): Promise<readonly Figure[]> {
  const durationMs = rates.seconds * LONGER * 1_000;
  const [honestRate, floodRate] = [rates.served * HONEST_SHARE, rates.refused * FLOOD_SHARE];
  const flooding = await startReadClient(context);
  // A flood comes from elsewhere: its sender, on the core of the honest clients, does not keep them from sending and receiving.
  setPriority(flooding.pid, constants.priority.PRIORITY_LOW);
  const floods: number[] = [];
  let round = 0;
  const honest = (server: BenchProcess): Promise<Measured> => {
    const request = { path: LEADERBOARD, clients: honestClients(round++), perSecond: honestRate };
    return measureServer(client, server, request, durationMs);
  };
  const beside = async (server: BenchProcess, flooded = server): Promise<Measured> => {
    const request = { path: LEADERBOARD, clients: FLOODING, perSecond: floodRate, connections: FLOOD_CONNECTIONS };
    const flood = { ...request, port: flooded.port, durationMs: durationMs + FLOOD_ON_MS };
    const [measured, answered] = await Promise.all([honest(server), flooding.request('flood', flood)]);
    const { sent, responses, seconds } = answered;
    if (responses !== sent) throw new Error(`${responses} of ${sent} requests of a flood got a response`);
    floods.push(responses / seconds);
    return measured;
  };
  const contestants = [
    ...[api, bare].flatMap((server) => [
      { name: `${server.name}, without the flood`, measure: () => honest(server) },
      { name: `${server.name}, beside the flood`, measure: () => beside(server) },
    ]),
    { name: `${api.name}, beside a flood of ${bare.name}`, measure: () => beside(api, bare) },
  ];
  const taken = await onSeparateCores([api, bare], [client, flooding], async () => {
    await alternate(contestants, 1);
    return alternate(contestants, Math.ceil(rates.rounds / 2));
  });
  await flooding.stop();
  context.table(
    `1,000 clients within their quotas and a flood of one client (${floodRate.toFixed(0)}/s due), in open loops`,
    [
      ['clients', 'requests/s', 'p50 ms', 'p99 ms'],
      ...Array.from(taken, ([name, rounds]) => row(name, rounds)),
      ['the flood', median(floods).toFixed(0), '', ''],
    ],
  );
  const [alone = [], during = [], bareAlone = [], bareDuring = [], elsewhere = []] = [...taken.values()];
  const growths = during.map(({ p99Ms }, index) => p99Ms / alone[index]!.p99Ms);
  const ofBare = bareDuring.map(({ p99Ms }, index) => p99Ms / bareAlone[index]!.p99Ms);
  const ofMachine = elsewhere.map(({ p99Ms }, index) => p99Ms / alone[index]!.p99Ms);
  const p99 = median(during.map(({ p99Ms }) => p99Ms));
  const name = 'honest p99 beside a flood';
  const measured = figure(name, p99, 'ms', median(growths), 'the same without the flood', { atMost: 1.5 });
  const keepsUp = Math.min(...floods) >= floodRate * MIN_ANSWERED;
  if (!keepsUp) context.progress('the machine is too slow for the flood');
  return [
    keepsUp ? measured : { ...measured, value: null, ratio: null },
    figure(`${name}, growth`, median(growths), 'times', median(growths) / median(ofBare), 'that of bare node:http', {
      atMost: 1.5,
    }),
    figure(`${name} of another process, growth`, median(ofMachine), 'times'),
  ];
}

function row(name: string, rounds: readonly Measured[]): string[] {
  const of = (measure: keyof Measured): number => median(rounds.map((one) => one[measure]));
  return [name, of('rate').toFixed(0), of('p50Ms').toFixed(2), of('p99Ms').toFixed(2)];
}
