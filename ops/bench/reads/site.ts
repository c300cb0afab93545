import type { Bench } from '../frame/bench.ts';
import { benchCodename } from '../frame/seed-population.ts';
import { serviceEnvironment, startBenchApi } from '../frame/service/start-service.ts';
import { CONNECTIONS, compareWithBare, figureOf } from './compare-with-bare.ts';

/** Pages, and the required share of the bare server's rate. An operator's page is rendered per request. */
const PAGES: readonly { readonly name: string; readonly path: string; readonly atLeast?: number }[] = [
  { name: 'home', path: '/', atLeast: 0.45 },
  { name: 'guide', path: '/developers/signing' },
  { name: 'operator', path: `/operators/${benchCodename(42)}` },
];

/** Cached pages of the api against bare `node:http` with the same bytes. */
export const site: Bench = {
  name: 'site',
  summary: 'the home page, warm, against bare node:http sending the same bytes and headers',
  async run(context) {
    const shape = context.options({ operators: [5_000, 200], seconds: [2, 0.2], rounds: [7, 1] });
    const { operators } = shape;
    const { compared } = await compareWithBare(context, PAGES, shape, async () => [
      await startBenchApi(context, await serviceEnvironment(context)),
    ]);
    context.table(`Pages, ${CONNECTIONS} connections, ${operators} operators, medians of alternating rounds`, [
      ['page', 'KiB', 'bare answers/s', 'answers/s', 'ratio', 'CPU ratio', 'p99 ms'],
      ...compared.map((path, index) => [
        PAGES[index]!.name,
        (path.bytes / 1024).toFixed(1),
        path.median('bare node:http', 'rate').toFixed(0),
        path.median('api', 'rate').toFixed(0),
        path.rateRatio('api').toFixed(3),
        path.cpuRatio('api').toFixed(3),
        path.median('api', 'p99Ms').toFixed(2),
      ]),
    ]);
    const figures = PAGES.map(({ name, atLeast }, index) => {
      const { cpuRatio: _, ...figure } = figureOf(name, compared[index]!);
      return { ...figure, target: atLeast === undefined ? undefined : { atLeast } };
    });
    return { ...figures[0]!, figures, details: { operators, connections: CONNECTIONS } };
  },
};
