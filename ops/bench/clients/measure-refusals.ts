import { alternate } from '../frame/alternate.ts';
import { type BenchContext, figure } from '../frame/bench.ts';
import type { BenchProcess } from '../frame/service/start-service.ts';
import { compareServers, measureServer, type ReadClient } from '../reads/compare-with-bare.ts';
import { FLOODING, LEADERBOARD, MANY } from './client-groups.ts';

const KINDS = [
  { name: '200', clients: MANY },
  { name: '429', clients: FLOODING },
] as const;

/** Compares refused requests of one client with served ones of many, by the same api. */
export async function measureRefusals(
  context: BenchContext,
  client: ReadClient,
  api: BenchProcess,
  { seconds, rounds }: Readonly<Record<'seconds' | 'rounds', number>>,
) {
  const measure = ({ name, clients }: (typeof KINDS)[number]) =>
    measureServer(client, api, { path: LEADERBOARD, clients }, seconds * 1_000, name);
  for (const kind of KINDS) await measure(kind);
  const contestants = KINDS.map((kind) => ({ name: kind.name, measure: () => measure(kind) }));
  const compared = compareServers(await alternate(contestants, rounds));
  const rows = KINDS.map(({ name }) => [
    name,
    compared.median(name, 'rate').toFixed(0),
    compared.rateRatio(name).toFixed(3),
    compared.median(name, 'cpuMicros').toFixed(1),
    compared.cpuRatio(name).toFixed(3),
    compared.median(name, 'p99Ms').toFixed(2),
  ]);
  context.table('The leaderboard, served to 50,000 clients and refused to one', [
    ['status', 'answers/s', 'ratio', 'CPU us', 'CPU ratio', 'p99 ms'],
    ...rows,
  ]);
  const refused = compared.median('429', 'rate');
  const against = 'the leaderboard, served to 50,000 clients';
  return {
    rates: { served: compared.median('200', 'rate'), refused },
    figure: figure('429', refused, 'answers/s', compared.rateRatio('429'), against, { atLeast: 1 }),
  };
}
