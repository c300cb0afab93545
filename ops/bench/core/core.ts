import type { Bench, BenchContext, BenchResult, Figure } from '../bench.ts';
import { growingSizes } from '../frame/growing-sizes.ts';
import { threeDigits } from '../frame/statistics.ts';
import { CHANGES, type CoreCosts } from './core-costs.ts';
import { measureCore } from './measure-core.ts';

const MIB = 1024 * 1024;

/** The board's mathematics over fields in memory, without databases. */
export const core: Bench = {
  name: 'core',
  summary: 'commits and compactions in memory alone, over fields up to ten million',
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const least = context.option('least', { full: 10_000, tiny: 2_000 });
  const most = context.option('most', { full: 10_000_000, tiny: 20_000 });
  if (least < 2 * CHANGES)
    throw new Error(`--least must be ${2 * CHANGES} or more: a commit changes ${CHANGES} operators`);
  const sizes = growingSizes(least, most);
  if (sizes.length < 2) throw new Error('--most must be ten times --least or more');
  const costs: CoreCosts[] = [];
  for (const operators of sizes) costs.push(await measureCore(context, operators, least));
  reportCore(context, costs);
  const figures = coreFigures(costs[0]!, costs.at(-1)!);
  return { ...figures[0]!, name: 'core', figures, details: { core: costs } };
}

const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;

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
      `${(each.residentBytes / MIB).toFixed(0)} MiB`,
    ]),
  ]);
}

/** Milliseconds of a commit with its share of the compaction that it leads to. */
function amortised({ meanCommitMs, sortMs, pagesMs, commitsToCompaction }: CoreCosts): number {
  return meanCommitMs + (sortMs + pagesMs) / commitsToCompaction;
}

function coreFigures(least: CoreCosts, costs: CoreCosts): readonly Figure[] {
  const against = `the same at ${least.operators} operators`;
  const figure = (name: string, value: number, peer: number): Figure => ({
    name: `${name} at ${costs.operators} operators`,
    value: threeDigits(value),
    unit: 'ms',
    ratio: threeDigits(value / peer),
    against,
  });
  return [
    { ...figure('core of a commit', costs.commitMs, costs.minCommitMs), target: { atMost: 2 } },
    {
      ...figure(
        'core of a commit, mean over an overlay and its compaction',
        amortised(costs),
        amortised({ ...least, meanCommitMs: costs.minMeanCommitMs }),
      ),
      target: { atMost: 3 },
    },
  ];
}
