import { deltaLimit } from '../../engine/ranking/core/board/index.ts';
import { costsAgainstCommit } from './frame/against.ts';
import { type BenchContext, defineBench, figure } from './frame/bench.ts';
import type { Costs } from './frame/cpu-time.ts';
import { alternate, median } from './frame/statistics.ts';
import { ms, operatorsText } from './frame/text-table.ts';
import { openSides, type Side } from './sides/side.ts';

const COMMITS_PER_HOUR = 3_600;
/** Unmeasured commits, during which code is compiled and the table of Yields is read. */
const WARM_UP_COMMITS = { full: 5, tiny: 0 } as const;
const COMPACTIONS = 3;

/** One commit of many changes, over a small and a large population. */
export const commit = defineBench({
  name: 'commit',
  summary: 'a commit of 1,000 changed operators in a large population against one in a small population',
  method:
    'One process for each population commits 1,000 changed operators, alternately. The share of compactions is what they take, ' +
    'divided by the commits between two of them.',
  options: {
    operators: [1_000_000, 2_000],
    few: [10_000, 1_000],
    commits: [45, 3],
    changes: [1_000, 100],
  },
  async run(context, { operators, few, commits, changes }) {
    const opened = await openSides(context, async (side) => [
      await seed(context, side, few),
      await seed(context, side, operators),
    ]);
    const populations = opened.flat();
    context.progress('committing');
    const measure = ({ population, size }: (typeof populations)[number]): Promise<Costs> =>
      population.request('commit', { operators: size, changes });
    const taken: Costs[][] = populations.map(() => []);
    const compactions: Costs[][] = populations.map(() => []);
    for (let round = 0; round < COMPACTIONS; round++) {
      await alternate(populations, WARM_UP_COMMITS[context.size], measure);
      const costs = await alternate(populations, Math.ceil(commits / COMPACTIONS), measure);
      const compacted = await alternate(populations, 1, ({ population }) => population.request('compact', undefined));
      for (const index of populations.keys()) {
        taken[index]!.push(...costs[index]!);
        compactions[index]!.push(...compacted[index]!);
      }
    }
    const shares = populations.map(({ size }, index) => wall(compactions[index]!) / commitsBetween(size, changes));
    context.table(`A commit of ${changes} changed operators, medians (CPU: the committing process and MongoDB)`, [
      ['tree', 'operators', 'commit', 'CPU', 'compaction', 'CPU', 'a commit'],
      ...populations.map(({ tree, size }, index) =>
        [tree, String(size)].concat(shown(taken[index]!), shown(compactions[index]!), ms(shares[index]!)),
      ),
    ]);
    const [small = 0, large = 0] = taken.map(wall);
    const [smallShare = 0, largeShare = 0] = shares;
    const peer = `of the same at ${operatorsText(few)}`;
    const name = `commit at ${operatorsText(operators)}`;
    const ratio = (large + largeShare) / (small + smallShare);
    return [
      figure(name, large, 'ms', { ratio: large / small, peer, atMost: 1.5 }),
      figure('with its share of compactions', large + largeShare, 'ms', { ratio, peer, atMost: 3 }),
      // Of each tree, the large population.
      ...costsAgainstCommit(
        context,
        name,
        taken.filter((_, index) => index % 2 === 1),
      ),
    ];
  },
});

async function seed(context: BenchContext, side: Side, operators: number) {
  context.progress(`seeding ${operators} operators: ${side.name}`);
  const population = await side.openPopulation(side.newDatabase());
  await population.request('seed', { operators });
  return { tree: side.name, size: operators, population };
}

const wall = (costs: readonly Costs[]): number => median(costs.map(({ wallMs }) => wallMs));

const shown = (costs: readonly Costs[]): readonly string[] => [
  ms(wall(costs)),
  ms(median(costs.map(({ cpuMs }) => cpuMs))),
];

/** A compaction runs when the delta is full, and once an hour. */
function commitsBetween(operators: number, changes: number): number {
  const full = deltaLimit(operators);
  return operators > full ? Math.min(full / changes, COMMITS_PER_HOUR) : COMMITS_PER_HOUR;
}
