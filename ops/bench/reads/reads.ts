import type { Bench } from '../frame/bench.ts';
import { benchCodename } from '../frame/seed-population.ts';
import { serviceEnvironment, startBenchApi } from '../frame/service/start-service.ts';
import { CONNECTIONS, compareWithBare, figureOf } from './compare-with-bare.ts';

/** The requests, and the required share of the bare server's rate. */
const READS = [
  { name: 'leaderboard', path: '/api/v1/leaderboard', target: { atLeast: 0.9, aim: 0.95 } },
  { name: 'warm profile', path: `/api/v1/operators/${benchCodename(42)}`, target: { atLeast: 0.8, aim: 0.9 } },
] as const;

/** Public reads of the api, with rate limiter, metrics and all headers, against bare `node:http` with the same bytes. */
export const reads: Bench = {
  name: 'reads',
  summary: 'leaderboard and profile against bare node:http sending the same bytes and headers',
  async run(context) {
    // Many short rounds: a disturbance of a second or two affects few of them.
    const shape = context.options({ operators: [5_000, 200], seconds: [0.5, 0.2], rounds: [28, 1] });
    const { operators } = shape;
    const { compared } = await compareWithBare(context, READS, shape, async () => [
      await startBenchApi(context, await serviceEnvironment(context)),
      await startBenchApi(context, await serviceEnvironment(context), { fastPath: false }),
    ]);
    context.table(`Reads, ${CONNECTIONS} connections, ${operators} operators, medians of alternating rounds`, [
      ['read', 'server', 'answers/s', 'ratio', 'CPU us', 'CPU ratio', 'p50 ms', 'p99 ms'],
      ...compared.flatMap((path, index) =>
        path.servers.map((server) => [
          READS[index]!.name,
          server,
          path.median(server, 'rate').toFixed(0),
          path.rateRatio(server).toFixed(3),
          path.median(server, 'cpuMicros').toFixed(1),
          path.cpuRatio(server).toFixed(3),
          path.median(server, 'p50Ms').toFixed(2),
          path.median(server, 'p99Ms').toFixed(2),
        ]),
      ),
    ]);
    const figures = READS.map(({ name, target }, index) => ({ ...figureOf(name, compared[index]!), target }));
    const withoutFastPath = READS.map(({ name }, index) => figureOf(name, compared[index]!, 'api without fast path'));
    return { ...figures[0]!, figures, details: { operators, connections: CONNECTIONS, withoutFastPath } };
  },
};
