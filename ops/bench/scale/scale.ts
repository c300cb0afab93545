import { MIB } from '../../../config/units.ts';
import { type Bench, type BenchContext, type BenchResult, type Figure, figure } from '../frame/bench.ts';
import { growingSizes } from '../frame/growing-sizes.ts';
import { mib, ms } from '../frame/text-table.ts';
import { databaseFor, fillPopulation } from './fill-population.ts';
import { measurePopulation, type PopulationScale } from './measure-population.ts';
import { startOnce } from './measure-starts.ts';

/** Maximum of boards in the history: those of 25 hours, and one per day for 100 days. */
const KEPT_BASES = 25 + 100;

/** The service over populations of growing size. */
export const scale: Bench = {
  name: 'scale',
  summary: 'loading, starting, memory and profiles over populations up to a million',
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const { 'max-operators': most, 'min-operators': least } = context.options({
    'max-operators': [1_000_000, 2_000],
    'min-operators': [10_000, 2_000],
  });
  const sizes = [0, ...growingSizes(least, most)];
  const populations: PopulationScale[] = [];
  const empty = await databaseFor(context, 0);
  await fillPopulation(context, empty, 0);
  await startOnce(context, empty);
  for (const operators of sizes) {
    context.progress(`${operators} operators`);
    populations.push(await measurePopulation(context, operators, await databaseFor(context, operators), empty));
  }
  reportPopulations(context, populations);
  return resultOf(populations);
}

function reportPopulations(context: BenchContext, populations: readonly PopulationScale[]): void {
  context.table('The service over populations of growing size (profiles and findOne: medians, one at a time)', [
    [
      'operators',
      'loaded',
      'worker start',
      'ratio',
      'api start',
      'ratio',
      'worker',
      'api',
      'cold profile',
      'warm',
      'findOne',
    ],
    ...populations.map((population) => [
      String(population.operators),
      `${(population.loadMs / 1_000).toFixed(1)} s`,
      ms(population.workerStartMs),
      population.workerStartRatio.toFixed(2),
      ms(population.apiStartMs),
      population.apiStartRatio.toFixed(2),
      mib(population.workerBytes),
      mib(population.apiBytes),
      ms(population.coldProfileMs),
      ms(population.warmProfileMs),
      ms(population.findOneMs),
    ]),
  ]);
  context.table(`Storage of the history: at most ${KEPT_BASES} base runs`, [
    ['operators', 'one base run', 'on disk', 'all', 'all on disk'],
    ...populations.map(({ operators, baseBytes, baseStoredBytes }) => [
      String(operators),
      mib(baseBytes),
      mib(baseStoredBytes),
      mib(baseBytes * KEPT_BASES),
      mib(baseStoredBytes * KEPT_BASES),
    ]),
  ]);
}

function resultOf(populations: readonly PopulationScale[]): BenchResult {
  const last = populations.at(-1);
  if (last === undefined) throw new Error('no population was measured');
  const at = `at ${last.operators} operators`;
  const findOne = 'one indexed findOne';
  const start = (name: string, value: number, ratio: number): Figure =>
    figure(`${name} ${at}`, value, 'ms', ratio, 'an empty start', { atMost: 1.5, aim: 1.1 });
  const memory = (name: string, bytes: number, maxMib: number): Figure => ({
    name: `memory of ${name} ${at}`,
    value: Math.round(bytes / MIB),
    unit: 'MiB',
    ratio: null,
    against: 'a limit',
    target: { atMost: maxMib },
  });
  const { coldProfileMs, warmProfileMs, findOneMs } = last;
  const figures = [
    figure(`cold profile ${at}`, coldProfileMs, 'ms', coldProfileMs / findOneMs, findOne, { atMost: 3, aim: 2 }),
    figure(`warm profile ${at}`, warmProfileMs, 'ms', warmProfileMs / findOneMs, findOne),
    start('worker start', last.workerStartMs, last.workerStartRatio),
    start('api start', last.apiStartMs, last.apiStartRatio),
    memory('worker', last.workerBytes, 500),
    memory('api', last.apiBytes, 250),
  ];
  const kept = { operators: last.operators, bases: KEPT_BASES, bytes: last.baseBytes * KEPT_BASES };
  return { ...figures[0]!, name: 'scale', figures, details: { populations, history: kept } };
}
