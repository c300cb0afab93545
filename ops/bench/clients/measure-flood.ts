import { alternate } from '../frame/alternate.ts';
import { type BenchContext, type Figure, figure } from '../frame/bench.ts';
import type { BenchProcess } from '../frame/service/start-service.ts';
import { median } from '../frame/statistics.ts';
import { type Measured, measureServer, type ReadClient, startReadClient } from '../reads/compare-with-bare.ts';
import { FLOODING, honestClients, LEADERBOARD } from './client-groups.ts';

/** Share of the rate of served requests at which the honest clients read, and of that of refusals at which the flood comes. */
const HONEST_SHARE = 0.1;
const FLOOD_SHARE = 0.5;

/** Connections of the flood. */
const FLOOD_CONNECTIONS = 64;

/** Rounds are longer and fewer than those of other measurements: a p99 needs many requests. */
const LONGER = 4;

/** How long a flood goes on after the honest clients, in milliseconds, because both do not begin at the same moment. */
const FLOOD_ON_MS = 100;

/** Latency of 1,000 clients within their quotas, with and without a flood of refused requests, both in open loops. */
export async function measureFlood(
  context: BenchContext,
  client: ReadClient,
  api: BenchProcess,
  rates: Readonly<Record<'seconds' | 'rounds' | 'served' | 'refused', number>>,
): Promise<Figure> {
  const durationMs = rates.seconds * LONGER * 1_000;
  const [honestRate, floodRate] = [rates.served * HONEST_SHARE, rates.refused * FLOOD_SHARE];
  const flooding = await startReadClient(context);
  const floods: Measured[] = [];
  let round = 0;
  const honest = (): Promise<Measured> => {
    const request = { path: LEADERBOARD, clients: honestClients(round++), perSecond: honestRate };
    return measureServer(client, api, request, durationMs);
  };
  const beside = async (): Promise<Measured> => {
    const request = { path: LEADERBOARD, clients: FLOODING, perSecond: floodRate, connections: FLOOD_CONNECTIONS };
    const flood = measureServer(flooding, api, request, durationMs + FLOOD_ON_MS, '429');
    const [measured, flooded] = await Promise.all([honest(), flood]);
    floods.push(flooded);
    return measured;
  };
  const contestants = [
    { name: 'alone', measure: honest },
    { name: 'beside', measure: beside },
  ];
  await alternate(contestants, 1);
  const taken = await alternate(contestants, Math.ceil(rates.rounds / 2));
  await flooding.stop();
  const [alone, during] = [taken.get('alone')!, taken.get('beside')!];
  context.table('1,000 clients within their quotas and a flood of one client, in open loops', [
    ['clients', 'requests/s', 'p50 ms', 'p99 ms'],
    row('honest, without the flood', alone),
    row('honest, beside the flood', during),
    row(`the flood (${floodRate.toFixed(0)}/s due)`, floods),
  ]);
  const ratio = median(during.map(({ p99Ms }, index) => p99Ms / alone[index]!.p99Ms));
  const p99 = median(during.map(({ p99Ms }) => p99Ms));
  return figure('honest p99 beside a flood', p99, 'ms', ratio, 'the same without the flood', { atMost: 1.5 });
}

function row(name: string, rounds: readonly Measured[]): string[] {
  const of = (measure: keyof Measured): number => median(rounds.map((one) => one[measure]));
  return [name, of('rate').toFixed(0), of('p50Ms').toFixed(2), of('p99Ms').toFixed(2)];
}
