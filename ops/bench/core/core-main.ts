import {
  buildBaseRun,
  deltaLimit,
  emptyDelta,
  rankIn,
  WINDOW_COUNT,
} from '../../../engine/ranking/core/board/index.ts';
import { median } from '../frame/statistics.ts';
import type { CoreCosts } from './core-costs.ts';
import { COMMITS_AN_HOUR, commitOn, DeltaLives, timed } from './delta-lives.ts';

/**
 * The board's mathematics alone over one field in memory, and beside it over the least one, in a process of its own:
 * `core-main.ts OPERATORS LEAST`.
 */
const [operators = 0, minOperators = 0] = process.argv.slice(2).map(Number);

/** Commits after a base whose median stands for one, and how often they are made: no field compacts before. */
const FIRST_COMMITS = 20;
const ROUNDS = 10;
/** Rounds before them, for the code to be compiled. */
const WARM_ROUNDS = 3;
const BASES = 3;
/** Overlays are filled again until there are so many commits to take the mean of. */
const MIN_COMMITS = 300;
const RANKS = 20_000;
const MICROSECONDS_A_MS = 1_000;

/** The Yields of a field, by operator and window. */
function someYields(count: number): Float64Array {
  const yields = new Float64Array(count * WINDOW_COUNT);
  for (let at = 0; at < yields.length; at++) yields[at] = Math.random() ** 4 * 1e6;
  return yields;
}

const table = someYields(operators);
const leastTable = someYields(minOperators);

const first: number[] = [];
const leastFirst: number[] = [];
// In turns, so that both meet the machine alike.
for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
  for (const [yields, all] of [
    [leastTable, leastFirst],
    [table, first],
  ] as const) {
    let delta = emptyDelta;
    for (let commit = 0; commit < FIRST_COMMITS; commit++) {
      const { ms, value } = commitOn(yields, delta);
      delta = value;
      if (round >= 0) all.push(ms);
    }
  }
}

const sorted: number[] = [];
const cut: number[] = [];
for (let base = 0; base < BASES; base++) {
  const { ms: sortMs, value } = timed(() => buildBaseRun(table));
  const { ms: pagesMs } = timed(() => {
    for (let window = 0; window < WINDOW_COUNT; window++)
      for (const page of value.orderPages(window)) void page.yields[0];
    for (const page of value.operatorPages()) void page.ranks[0];
  });
  sorted.push(sortMs);
  cut.push(pagesMs);
}

const large = new DeltaLives(table);
const least = new DeltaLives(leastTable);
while (large.times.length < MIN_COMMITS) {
  const before = large.lives;
  // In turns again. The large one ends with a whole life, so that its mean is that of whole lives.
  while (large.lives === before) {
    for (let commit = 0; commit < FIRST_COMMITS && large.lives === before; commit++) large.commit();
    for (let commit = 0; commit < FIRST_COMMITS; commit++) least.commit();
  }
}

const { ms: rankedMs } = timed(() => {
  for (let read = 0; read < RANKS; read++) {
    const window = read % WINDOW_COUNT;
    const y = table[Math.floor(Math.random() * operators) * WINDOW_COUNT + window]!;
    rankIn(0, large.full.windows[window]!, y);
  }
});

const result: CoreCosts = {
  operators,
  sortMs: median(sorted),
  pagesMs: median(cut),
  commitMs: median(first),
  minCommitMs: median(leastFirst),
  meanCommitMs: large.mean(),
  minMeanCommitMs: least.mean(),
  commitsToCompaction: deltaLimit(operators) >= operators ? COMMITS_AN_HOUR : large.times.length / large.lives,
  rankUs: (rankedMs / RANKS) * MICROSECONDS_A_MS,
  residentBytes: process.memoryUsage.rss(),
};
process.send?.(result, () => process.exit(0));
