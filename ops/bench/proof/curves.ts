import * as z from 'zod';
import { MIB, MS_PER_SECOND } from '../../../config/units.ts';
import type { Results } from './stored-results.ts';

/** One line of a chart: a measurement over populations of growing size. */
export interface Curve {
  readonly name: string;
  readonly points: ReadonlyArray<readonly [operators: number, value: number]>;
}

/** A chart: measurements of one subject in one unit. */
export interface Subject {
  readonly file: string;
  readonly title: string;
  readonly unit: string;
  readonly curves: (results: Results) => readonly Curve[];
}

const Cost = z.object({ wallMs: z.number() });
const CommitDetails = z.object({
  populations: z.array(
    z.object({
      operators: z.number(),
      commits: z.array(Cost),
      compactions: z.array(Cost),
      garbageCollections: z.array(Cost),
      committerBytes: z.number(),
    }),
  ),
});
type CommitPopulation = z.infer<typeof CommitDetails>['populations'][number];

const ScaleDetails = z.object({
  populations: z.array(
    z.object({
      operators: z.number(),
      workerBytes: z.number(),
      apiBytes: z.number(),
      coldProfileMs: z.number(),
      warmProfileMs: z.number(),
      findOneMs: z.number(),
    }),
  ),
});
const CoreDetails = z.object({
  core: z.array(
    z.object({ operators: z.number(), sortMs: z.number(), commitMs: z.number(), residentBytes: z.number() }),
  ),
});
type ScalePopulation = z.infer<typeof ScaleDetails>['populations'][number];
type CorePopulation = z.infer<typeof CoreDetails>['core'][number];

const RerankDetails = z.object({ records: z.number(), ms: z.number(), workerBytes: z.array(z.number()) });
type RerankPopulation = z.infer<typeof RerankDetails>;

const RERANKS = ['rerank-10k', 'rerank-100k', 'rerank'] as const;

/** The details of a measured part; null when it was not measured or has other details. */
function detailsOf<T>(results: Results, part: string, schema: z.ZodType<T>): T | null {
  const found = results.parts[part];
  if (found?.status !== 'measured') return null;
  return schema.safeParse(found.details).data ?? null;
}

const commits = (results: Results) => detailsOf(results, 'commit', CommitDetails)?.populations ?? [];
const scales = (results: Results) =>
  (detailsOf(results, 'scale', ScaleDetails)?.populations ?? []).filter(({ operators }) => operators > 0);
const cores = (results: Results) => detailsOf(results, 'core', CoreDetails)?.core ?? [];
const reranks = (results: Results) => RERANKS.flatMap((part) => detailsOf(results, part, RerankDetails) ?? []);

const middle = (costs: readonly z.infer<typeof Cost>[]): number =>
  costs.map(({ wallMs }) => wallMs).toSorted((one, other) => one - other)[Math.floor(costs.length / 2)] ?? Number.NaN;

function curve<T>(
  name: string,
  populations: readonly T[],
  size: (population: T) => number,
  value: (population: T) => number,
): Curve {
  const points = populations.map((population) => [size(population), value(population)] as const);
  return { name, points: points.filter(([, y]) => Number.isFinite(y) && y > 0) };
}

const ofCommits = (name: string, results: Results, value: (population: CommitPopulation) => number): Curve =>
  curve(name, commits(results), ({ operators }) => operators, value);
const ofScale = (name: string, results: Results, value: (population: ScalePopulation) => number): Curve =>
  curve(name, scales(results), ({ operators }) => operators, value);
const ofCore = (name: string, results: Results, value: (population: CorePopulation) => number): Curve =>
  curve(name, cores(results), ({ operators }) => operators, value);
const ofReranks = (name: string, results: Results, value: (population: RerankPopulation) => number): Curve =>
  curve(name, reranks(results), ({ records }) => records, value);

/** Every chart of the page. */
export const SUBJECTS: readonly Subject[] = [
  {
    file: 'commit',
    title: 'A commit of 1,000 changes, and a compaction',
    unit: 'ms',
    curves: (results) => [
      ofCommits('commit', results, (population) => middle(population.commits)),
      ofCommits('compaction', results, (population) => middle(population.compactions)),
      ofCore('core of a commit', results, ({ commitMs }) => commitMs),
      ofCore('sort of a base run', results, ({ sortMs }) => sortMs),
    ],
  },
  {
    file: 'garbage-collection',
    title: 'Garbage collection of one base run',
    unit: 'ms',
    curves: (results) => [
      ofCommits('garbage collection', results, (population) => middle(population.garbageCollections)),
    ],
  },
  {
    file: 'rerank',
    title: 'A re-rank of four windows, from the request to the switch',
    unit: 's',
    curves: (results) => [ofReranks('re-rank', results, ({ ms }) => ms / MS_PER_SECOND)],
  },
  {
    file: 'reads',
    title: 'Profiles, one at a time',
    unit: 'ms',
    curves: (results) => [
      ofScale('cold profile', results, ({ coldProfileMs }) => coldProfileMs),
      ofScale('warm profile', results, ({ warmProfileMs }) => warmProfileMs),
      ofScale('one indexed findOne', results, ({ findOneMs }) => findOneMs),
    ],
  },
  {
    file: 'memory',
    title: 'Memory of processes',
    unit: 'MiB',
    curves: (results) => [
      ofScale('api', results, ({ apiBytes }) => apiBytes / MIB),
      ofScale('worker', results, ({ workerBytes }) => workerBytes / MIB),
      ofCommits('committer and garbage collector', results, ({ committerBytes }) => committerBytes / MIB),
      ofReranks('re-ranking worker, at most', results, ({ workerBytes }) => Math.max(...workerBytes) / MIB),
      ofCore('core in memory', results, ({ residentBytes }) => residentBytes / MIB),
    ],
  },
];

/** All curves as comma-separated values, one line per point. */
export function curvesCsv(results: Results): string {
  const lines = SUBJECTS.flatMap(({ file, unit, curves }) =>
    curves(results).flatMap(({ name, points }) =>
      points.map(([operators, value]) => `${file},${name},${operators},${Number(value.toPrecision(4))},${unit}`),
    ),
  );
  return `${['chart,curve,operators,value,unit', ...lines].join('\n')}\n`;
}
