import type { Bench, BenchContext, BenchResult, Figure } from '../bench.ts';
import { growingSizes } from '../frame/growing-sizes.ts';
import { median, threeDigits } from '../frame/statistics.ts';
import { CHANGES, type CoreCosts } from './core-costs.ts';
import { type ComparedCore, measureCores } from './measure-core.ts';

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
  const larger = growingSizes(least, most).slice(1);
  if (larger.length === 0) throw new Error('--most must be ten times --least or more');
  const compared = await measureCores(context, least, larger);
  const [first, last] = [compared[0]!, compared.at(-1)!];
  const costs = [...first.least.slice(0, 1), ...compared.map((each) => each.costs)];
  reportCore(context, costs);
  const figures = coreFigures(last);
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

function coreFigures({ costs, least }: ComparedCore): readonly Figure[] {
  const against = `the same at ${least[0]?.operators ?? 0} operators`;
  const figure = (name: string, value: number, peer: number): Figure => ({
    name: `${name} at ${costs.operators} operators`,
    value: threeDigits(value),
    unit: 'ms',
    ratio: threeDigits(value / peer),
    against,
  });
  return [
    { ...figure('core of a commit', costs.commitMs, costs.leastCommitMs), target: { atMost: 2 } },
    {
      ...figure(
        'core of a commit, mean over an overlay and its compaction',
        amortised(costs),
        median(least.map(amortised)),
      ),
      target: { atMost: 3 },
    },
  ];
}
