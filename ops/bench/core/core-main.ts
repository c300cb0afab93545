import { MICROSECONDS_PER_MS } from '../../../config/units.ts';
import {
  buildBaseRun,
  deltaLimit,
  emptyDelta,
  rankIn,
  WINDOW_COUNT,
} from '../../../engine/ranking/core/board/index.ts';
import { mean, median } from '../frame/statistics.ts';
import { serveTasks } from '../frame/task-process.ts';
import { COMMITS_PER_HOUR, commitOn, DeltaLives, timed } from './delta-lives.ts';

/**
 * Measures the board's core over one population in memory, alternating with the smallest one, in a separate process:
 * `core-main.ts OPERATORS LEAST`. It is ready once it has measured.
 */
const [operators = 0, minOperators = 0] = process.argv.slice(2).map(Number);

/** Commits after a compaction whose median is measured, fewer than any population needs to compact; and repetitions. */
const FIRST_COMMITS = 20;
const ROUNDS = 10;
/** Unmeasured rounds, during which code is compiled. */
const WARM_ROUNDS = 3;
const BASES = 3;
/** Least number of commits for a mean. */
const MIN_COMMITS = 300;
const RANKS = 20_000;

/** Random Yields, by operator and window. */
function randomYields(count: number): Float64Array {
  const yields = new Float64Array(count * WINDOW_COUNT);
  for (let at = 0; at < yields.length; at++) yields[at] = Math.random() ** 4 * 1e6;
  return yields;
}

const table = randomYields(operators);
const leastTable = randomYields(minOperators);

const first: number[] = [];
const leastFirst: number[] = [];
// Alternately, so that changes of the machine's load affect both alike.
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
  // Alternately again. The large one ends with a compaction, so that its mean covers complete cycles.
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

const tasks = {
  /** Costs of the board's core over a population in milliseconds, and memory of the measuring process. */
  costs: () => ({
    operators,
    /** Sorting all windows into a base run. */
    sortMs: median(sorted),
    /** Splitting the base run into its pages. */
    pagesMs: median(cut),
    /** Making a segment of 1,000 changes and applying it to the delta: the median of the first commits after a compaction. */
    commitMs: median(first),
    /** `commitMs` of the smallest population, measured alternately. */
    minCommitMs: median(leastFirst),
    /** Mean commit time from one compaction to the next. */
    meanCommitMs: mean(large.times),
    /** `meanCommitMs` of the smallest population, measured alternately. */
    minMeanCommitMs: mean(least.times),
    /** Commits from one compaction to the next. */
    commitsToCompaction: deltaLimit(operators) >= operators ? COMMITS_PER_HOUR : large.times.length / large.lives,
    /** Computing the rank of an operator in a window, including the delta, in microseconds. */
    rankUs: (rankedMs / RANKS) * MICROSECONDS_PER_MS,
    residentBytes: process.memoryUsage.rss(),
  }),
};

export type CoreTasks = typeof tasks;
serveTasks(tasks);
