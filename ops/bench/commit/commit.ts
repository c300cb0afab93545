import { deltaLimit } from '../../../engine/ranking/core/board/index.ts';
import { type Bench, type BenchContext, type BenchResult, type Figure, figure } from '../frame/bench.ts';
import { growingSizes } from '../frame/growing-sizes.ts';
import { mean, median } from '../frame/statistics.ts';
import { startTaskProcess } from '../frame/task-process.ts';
import { mib } from '../frame/text-table.ts';
import type { PopulationTasks } from './commit-main.ts';
import { measurePopulations, type PopulationCosts, type PopulationProcess } from './measure-populations.ts';

const COMMITS_PER_HOUR = 3_600;

/** One commit of many changes, over populations of growing size. */
export const commit: Bench = {
  name: 'commit',
  summary: 'a commit of 1,000 changed operators in a large population against one in a small population',
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const {
    'min-operators': least,
    'max-operators': most,
    commits,
    changes,
  } = context.options({
    'min-operators': [10_000, 1_000],
    'max-operators': [1_000_000, 4_000],
    commits: [45, 6],
    changes: [1_000, 100],
  });
  const processes: PopulationProcess[] = [];
  for (const operators of growingSizes(least, most, least < 10_000 ? 4 : 10)) {
    context.progress(`loading ${operators} operators`);
    processes.push(await startPopulation(context, operators, changes));
  }
  context.progress('measuring them alternately');
  const populations = await measurePopulations(processes, commits);
  report(context, populations, changes);
  return resultOf(populations, changes);
}

/** Seeds a population, which may take minutes. `changes` operators are changed per commit. */
async function startPopulation(context: BenchContext, operators: number, changes: number): Promise<PopulationProcess> {
  const { mongoUrl, pids } = await context.engines();
  const url = new URL(mongoUrl);
  url.pathname += `-${operators}`;
  const args = [url.href, pids.mongo ?? 0, operators, changes].map(String);
  const program = new URL('commit-main.ts', import.meta.url);
  return { operators, ...(await startTaskProcess<PopulationTasks>(context, program, args)) };
}

const wall = (costs: PopulationCosts['commits']): number => median(costs.map(({ wallMs }) => wallMs));

/** CPU time has a resolution of 10 ms: a mean over many commits is more precise than their median. */
const cpu = (costs: PopulationCosts['commits']): number => mean(costs.map(({ cpuMs }) => cpuMs));

/** Milliseconds of compaction per commit: a compaction runs when the delta is full, and once an hour. */
function amortised({ operators, compactions }: PopulationCosts, changes: number): number {
  const full = deltaLimit(operators);
  const between = operators > full ? Math.min(full / changes, COMMITS_PER_HOUR) : COMMITS_PER_HOUR;
  return wall(compactions) / between;
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;

function report(context: BenchContext, populations: readonly PopulationCosts[], changes: number): void {
  context.table(`A commit of ${changes} changed operators, medians (CPU: committer and MongoDB, means)`, [
    ['operators', 'commit', 'slowest', 'CPU', 'compaction', 'CPU', 'a commit', 'together', 'loaded in'],
    ...populations.map((population) => [
      String(population.operators),
      ms(wall(population.commits)),
      ms(Math.max(...population.commits.map(({ wallMs }) => wallMs))),
      ms(cpu(population.commits)),
      ms(wall(population.compactions)),
      ms(cpu(population.compactions)),
      ms(amortised(population, changes)),
      ms(wall(population.commits) + amortised(population, changes)),
      `${(population.seedMs / 1_000).toFixed(1)} s`,
    ]),
  ]);
  context.table('Garbage collection after a compaction, and memory at the end', [
    ['operators', 'collection', 'parts', 'committer'],
    ...populations.map((population) => [
      String(population.operators),
      ms(wall(population.garbageCollections)),
      population.collectedParts.toFixed(0),
      mib(population.committerBytes),
    ]),
  ]);
}

function resultOf(populations: readonly PopulationCosts[], changes: number): BenchResult {
  const first = populations[0];
  const last = populations.at(-1);
  if (first === undefined || last === undefined) throw new Error('no population was measured');
  const grown = (name: string, cost: (population: PopulationCosts) => number, target?: Figure['target']): Figure =>
    figure(name, cost(last), 'ms', cost(last) / cost(first), `the same at ${first.operators} operators`, target);
  const figures = [
    grown(`commit at ${last.operators} operators`, ({ commits }) => wall(commits), { atMost: 1.5, aim: 1.2 }),
    grown('with compaction', (population) => wall(population.commits) + amortised(population, changes), {
      atMost: 3,
      aim: 1.2,
    }),
    grown('commit, CPU time', ({ commits }) => cpu(commits), { atMost: 1.5 }),
    grown('garbage collection of one base run', ({ garbageCollections }) => wall(garbageCollections)),
  ];
  return { ...figures[0]!, name: 'commit', figures, details: { populations } };
}
