import { type Bench, type BenchContext, type BenchResult, type Figure, figure } from '../frame/bench.ts';
import { growingSizes } from '../frame/growing-sizes.ts';
import { startTaskProcess } from '../frame/task-process.ts';
import { mib, ms } from '../frame/text-table.ts';
import type { CoreTasks } from './core-main.ts';
import { CHANGES } from './delta-lives.ts';

type CoreCosts = ReturnType<CoreTasks['costs']>;

/** The board's core over populations in memory, without databases. */
export const core: Bench = {
  name: 'core',
  summary: 'commits and compactions in memory only, over populations up to ten million',
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const { 'min-operators': least, 'max-operators': most } = context.options({
    'min-operators': [10_000, 2_000],
    'max-operators': [10_000_000, 20_000],
  });
  if (least < 2 * CHANGES)
    throw new Error(`--min-operators must be ${2 * CHANGES} or more: a commit changes ${CHANGES} operators`);
  const sizes = growingSizes(least, most);
  if (sizes.length < 2) throw new Error('--max-operators must be ten times --min-operators or more');
  const costs: CoreCosts[] = [];
  for (const operators of sizes) costs.push(await measureCore(context, operators, least));
  reportCore(context, costs);
  const figures = coreFigures(costs[0]!, costs.at(-1)!);
  return { ...figures[0]!, name: 'core', figures, details: { core: costs } };
}

function reportCore(context: BenchContext, costs: readonly CoreCosts[]): void {
  context.table('The core in memory, four windows', [
    ['operators', 'sort', 'pages', '1,000 changes', 'mean to compaction', 'with compaction', 'rank', 'memory'],
    ...costs.map((each) => [
      String(each.operators),
      ms(each.sortMs),
      ms(each.pagesMs),
      ms(each.commitMs),
      ms(each.meanCommitMs),
      ms(amortised(each)),
      `${each.rankUs.toFixed(1)} us`,
      mib(each.residentBytes),
    ]),
  ]);
}

/** Milliseconds of a commit with its share of the next compaction. */
function amortised({ meanCommitMs, sortMs, pagesMs, commitsToCompaction }: CoreCosts): number {
  return meanCommitMs + (sortMs + pagesMs) / commitsToCompaction;
}

function coreFigures(least: CoreCosts, costs: CoreCosts): readonly Figure[] {
  const against = `the same at ${least.operators} operators`;
  const at = `at ${costs.operators} operators`;
  const mean = 'core of a commit, mean over a delta and its compaction';
  const meanRatio = amortised(costs) / amortised({ ...least, meanCommitMs: costs.minMeanCommitMs });
  return [
    figure(`core of a commit ${at}`, costs.commitMs, 'ms', costs.commitMs / costs.minCommitMs, against, {
      atMost: 2,
      aim: 1.2,
    }),
    figure(`${mean} ${at}`, amortised(costs), 'ms', meanRatio, against, { atMost: 3 }),
  ];
}

/** Measures the core over a population, alternating with the smallest one, in a new process. */
async function measureCore(context: BenchContext, operators: number, least: number): Promise<CoreCosts> {
  context.progress(`${operators} operators`);
  const program = new URL('core-main.ts', import.meta.url);
  const child = await startTaskProcess<CoreTasks>(context, program, [operators, least].map(String));
  const costs = await child.request('costs', undefined);
  await child.stop();
  return costs;
}
