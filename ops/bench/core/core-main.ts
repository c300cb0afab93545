import {
  applySegment,
  buildBase,
  emptyOverlay,
  makeSegment,
  overlayLimit,
  rankIn,
  WINDOW_COUNT,
} from '../../../engine/ranking/core/board/index.ts';
import { median } from '../frame/statistics.ts';
import { CHANGES, type CoreCosts } from './core-costs.ts';

/**
 * The board's mathematics alone over one field in memory, and beside it over the least one, in a process of its own:
 * `core-main.ts OPERATORS LEAST`.
 */
const [operators = 0, leastOperators = 0] = process.argv.slice(2).map(Number);

/** Commits after a base whose median stands for one, and how often they are made: no field compacts before. */
const FIRST_COMMITS = 20;
const ROUNDS = 10;
/** Rounds before them, for the code to be compiled. */
const WARM_ROUNDS = 3;
const BASES = 3;
/** Overlays are filled again until there are so many commits to take the mean of. */
const LEAST_COMMITS = 300;
/** Commits after which nothing changes any more over a field that is never due by its size: it has changed all over. */
const WHOLE_FIELD_COMMITS = 600;
/** The service compacts when the overlay is full, and once an hour. */
const COMMITS_AN_HOUR = 3_600;
const RANKS = 20_000;
const MICROSECONDS_A_MS = 1_000;

function timed<T>(work: () => T): { readonly ms: number; readonly value: T } {
  const started = performance.now();
  const value = work();
  return { ms: performance.now() - started, value };
}

/** The Yields of a field, by operator and window. */
function someYields(count: number): Float64Array {
  const yields = new Float64Array(count * WINDOW_COUNT);
  for (let at = 0; at < yields.length; at++) yields[at] = Math.random() ** 4 * 1e6;
  return yields;
}

const table = someYields(operators);
const leastTable = someYields(leastOperators);

/** One commit of changes to random operators, on an overlay: what it becomes, and how long that took. */
function commitOn(yields: Float64Array, overlay: typeof emptyOverlay) {
  const count = yields.length / WINDOW_COUNT;
  const chosen = new Set<number>();
  while (chosen.size < CHANGES) chosen.add(1 + Math.floor(Math.random() * (count - 1)));
  const changes = [...chosen].map((operator) => {
    const before = yields.slice(operator * WINDOW_COUNT, (operator + 1) * WINDOW_COUNT);
    const after = before.map((y) => y * (1 + Math.random()));
    yields.set(after, operator * WINDOW_COUNT);
    return { operator, before, after };
  });
  return timed(() => applySegment(overlay, makeSegment(changes)));
}

/** Commits from a fresh base on, while `goOn` says so: the overlay at the end, and what each took. */
function commitsWhile(yields: Float64Array, goOn: (size: number, commits: number) => boolean) {
  let overlay = emptyOverlay;
  const times: number[] = [];
  while (goOn(overlay.size, times.length)) {
    const { ms, value } = commitOn(yields, overlay);
    overlay = value;
    times.push(ms);
  }
  return { overlay, times };
}

const first: number[] = [];
const leastFirst: number[] = [];
// In turns, so that both meet the machine alike.
for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
  for (const [yields, all] of [
    [leastTable, leastFirst],
    [table, first],
  ] as const) {
    const { times } = commitsWhile(yields, (_, commits) => commits < FIRST_COMMITS);
    if (round >= 0) all.push(...times);
  }
}

const sorted: number[] = [];
const cut: number[] = [];
for (let base = 0; base < BASES; base++) {
  const { ms: sortMs, value } = timed(() => buildBase(table));
  const { ms: pagesMs } = timed(() => {
    for (let window = 0; window < WINDOW_COUNT; window++)
      for (const page of value.orderPages(window)) void page.yields[0];
    for (const page of value.operatorPages()) void page.ranks[0];
  });
  sorted.push(sortMs);
  cut.push(pagesMs);
}

const full = overlayLimit(operators);
// A small field is changed all over before its overlay is full: it waits for its hour.
const mostCommits = full >= operators ? WHOLE_FIELD_COMMITS : COMMITS_AN_HOUR;
const applied: number[] = [];
let lives = 0;
let overlay = emptyOverlay;
while (applied.length < LEAST_COMMITS) {
  const life = commitsWhile(table, (size, commits) => size <= full && commits < mostCommits);
  lives++;
  applied.push(...life.times);
  ({ overlay } = life);
}

const { ms: rankedMs } = timed(() => {
  for (let read = 0; read < RANKS; read++) {
    const window = read % WINDOW_COUNT;
    const y = table[Math.floor(Math.random() * operators) * WINDOW_COUNT + window]!;
    rankIn(0, overlay.windows[window]!, y);
  }
});

const result: CoreCosts = {
  operators,
  sortMs: median(sorted),
  pagesMs: median(cut),
  commitMs: median(first),
  leastCommitMs: median(leastFirst),
  meanCommitMs: applied.reduce((sum, ms) => sum + ms, 0) / applied.length,
  commitsToCompaction: full >= operators ? COMMITS_AN_HOUR : applied.length / lives,
  rankUs: (rankedMs / RANKS) * MICROSECONDS_A_MS,
  residentBytes: process.memoryUsage.rss(),
};
process.send?.(result, () => process.exit(0));
