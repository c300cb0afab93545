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

/**
 * How many times as many rounds as other measurements have: a pause of the machine may decide a round's p99, and then
 * others outweigh it.
 */
const MORE = 2;

/** Least share of its rate that a flood reaches in the rounds that are judged. */
const MIN_ANSWERED = 0.8;

/** Least share of the rounds that are judged. */
const MIN_JUDGED = 0.5;

/** Time to open connections, beside a flood as without one, before latencies count. In milliseconds. */
const SETTLE_MS = 100;

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
  const durationMs = SETTLE_MS + rates.seconds * 1_000;
  const [honestRate, floodRate] = [rates.served * HONEST_SHARE, rates.refused * FLOOD_SHARE];
  const flooding = await startReadClient(context);
  // A flood comes from elsewhere: its sender, on the core of the honest clients, does not keep them from sending and receiving.
  setPriority(flooding.pid, constants.priority.PRIORITY_LOW);
  /** Rates of the floods beside which it was measured. */
  const floods = new Map<Measured, number>();
  let round = 0;
  const honest = (server: BenchProcess): Promise<Measured> => {
    const clients = honestClients(round++);
    const request = { path: LEADERBOARD, clients, perSecond: honestRate, settleMs: SETTLE_MS };
    return measureServer(client, server, request, durationMs);
  };
  const beside = async (server: BenchProcess, flooded = server): Promise<Measured> => {
    const request = { path: LEADERBOARD, clients: FLOODING, perSecond: floodRate, connections: FLOOD_CONNECTIONS };
    const flood = { ...request, port: flooded.port, durationMs: durationMs + FLOOD_ON_MS };
    const [measured, answered] = await Promise.all([honest(server), flooding.request('flood', flood)]);
    const { sent, responses, seconds } = answered;
    if (responses !== sent) throw new Error(`${responses} of ${sent} requests of a flood got a response`);
    floods.set(measured, responses / seconds);
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
    await alternate(contestants, MORE);
    return alternate(contestants, rates.rounds * MORE);
  });
  await flooding.stop();
  context.table(
    `1,000 clients within their quotas and a flood of one client (${floodRate.toFixed(0)}/s due), in open loops`,
    [
      ['clients', 'requests/s', 'p50 ms', 'p99 ms'],
      ...Array.from(taken, ([name, rounds]) => row(name, rounds)),
      ['the flood', median([...floods.values()]).toFixed(0), '', ''],
    ],
  );
  const [alone = [], during = [], bareAlone = [], bareDuring = [], elsewhere = []] = [...taken.values()];
  const keptUp = (one: Measured): boolean => floods.get(one)! >= floodRate * MIN_ANSWERED;
  /** Median growth in the rounds in which the flood kept up; null when these are too few. */
  const growth = (flooded: readonly Measured[], before: readonly Measured[]): number | null => {
    const growths = flooded.flatMap((one, index) => (keptUp(one) ? [one.p99Ms / before[index]!.p99Ms] : []));
    return growths.length < flooded.length * MIN_JUDGED ? null : median(growths);
  };
  const judged = during.filter(keptUp);
  const [ofApi, ofBare, ofMachine] = [growth(during, alone), growth(bareDuring, bareAlone), growth(elsewhere, alone)];
  context.progress(`the flood kept up in ${judged.length} of ${during.length} rounds`);
  const name = 'honest p99 beside a flood';
  const limit = { atMost: 1.5 };
  const p99 = ofApi === null ? null : median(judged.map(({ p99Ms }) => p99Ms));
  const againstBare = ofApi === null || ofBare === null ? null : ofApi / ofBare;
  return [
    figure(name, p99, 'ms', ofApi, 'the same without the flood', limit),
    figure(`${name}, growth`, ofApi, 'times', againstBare, 'that of bare node:http', limit),
    figure(`${name} of another process, growth`, ofMachine, 'times'),
  ];
}

function row(name: string, rounds: readonly Measured[]): string[] {
  const of = (measure: keyof Measured): number => median(rounds.map((one) => one[measure]));
  return [name, of('rate').toFixed(0), of('p50Ms').toFixed(2), of('p99Ms').toFixed(2)];
}
