import { alternate } from '../frame/alternate.ts';
import { type BenchContext, type Figure, figure } from '../frame/bench.ts';
import type { BenchProcess } from '../frame/service/start-service.ts';
import {
  compareServers,
  type Measured,
  measureServer,
  type ReadClient,
  WARM_UP_MS,
} from '../reads/compare-with-bare.ts';
import { LEADERBOARD, many } from './client-groups.ts';
import { pin } from './pin.ts';

const REQUEST = { path: LEADERBOARD, clients: many(10) } as const;

/** One core, and two, as `taskset` takes them. */
const CORES = { one: '0', two: '0,1' } as const;

/**
 * Reads from an api of one process and from one of two (`API_PROCESSES`), each pinned to one core and to two. On a machine of
 * two cores the load client shares them, so that CPU time tells more than rates.
 */
export async function measureProcesses(
  context: BenchContext,
  client: ReadClient,
  [single, pair]: readonly [single: BenchProcess, pair: BenchProcess],
  { seconds, rounds }: Readonly<Record<'seconds' | 'rounds', number>>,
): Promise<readonly Figure[]> {
  const durationMs = seconds * 1_000;
  const contestants = Object.entries({ 'one process': single, 'two processes': pair }).flatMap(([name, api]) =>
    Object.entries(CORES).map(([count, cores]) => ({
      name: `${name} on ${count} core${count === 'one' ? '' : 's'}`,
      async measure(): Promise<Measured> {
        await pin(api.pid, cores);
        return measureServer(client, api, REQUEST, durationMs);
      },
    })),
  );
  for (const api of [single, pair]) await measureServer(client, api, REQUEST, WARM_UP_MS[context.size]);
  const compared = compareServers(await alternate(contestants, Math.ceil(rounds / 2)));
  const [first = ''] = compared.servers;
  context.table('The leaderboard of 50,000 clients, by processes of the api and the cores that they are pinned to', [
    ['api', 'answers/s', 'ratio', 'CPU us', 'CPU ratio'],
    ...compared.servers.map((name) => [
      name,
      compared.median(name, 'rate').toFixed(0),
      compared.rateRatio(name).toFixed(3),
      compared.median(name, 'cpuMicros').toFixed(1),
      compared.cpuRatio(name).toFixed(3),
    ]),
  ]);
  const [pairOnOne = '', pairOnTwo = ''] = compared.servers.slice(2);
  return [
    figure(pairOnOne, compared.median(pairOnOne, 'rate'), 'answers/s', compared.rateRatio(pairOnOne), first),
    figure(pairOnTwo, compared.median(pairOnTwo, 'rate'), 'answers/s', compared.rateRatio(pairOnTwo), first),
    figure(
      'two processes on two cores, by CPU time',
      compared.median(pairOnTwo, 'cpuMicros'),
      'us',
      compared.cpuRatio(pairOnTwo),
      first,
    ),
  ];
}
