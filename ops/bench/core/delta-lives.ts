import {
  applySegment,
  deltaLimit,
  emptyDelta,
  makeSegment,
  WINDOW_COUNT,
} from '../../../engine/ranking/core/board/index.ts';

/** Distinct operators that a commit changes; every population is larger. */
export const CHANGES = 1_000;
/** Commits after which a small population, whose delta never reaches its limit, has changed completely. */
const WHOLE_POPULATION_COMMITS = 600;
/** The service compacts when the delta is full, and once an hour. */
export const COMMITS_PER_HOUR = 3_600;

/** Runs `work` and returns its value and its duration in milliseconds. */
export function timed<T>(work: () => T): { readonly ms: number; readonly value: T } {
  const started = performance.now();
  const value = work();
  return { ms: performance.now() - started, value };
}

/** Applies a commit of changes to random operators to a delta. Returns the new delta and the duration. */
export function commitOn(yields: Float64Array, delta: typeof emptyDelta) {
  const count = yields.length / WINDOW_COUNT;
  const chosen = new Set<number>();
  while (chosen.size < CHANGES) chosen.add(1 + Math.floor(Math.random() * (count - 1)));
  const changes = [...chosen].map((operator) => {
    const before = yields.slice(operator * WINDOW_COUNT, (operator + 1) * WINDOW_COUNT);
    const after = before.map((y) => y * (1 + Math.random()));
    yields.set(after, operator * WINDOW_COUNT);
    return { operator, before, after };
  });
  return timed(() => applySegment(delta, makeSegment(changes)));
}

/** Commits to a delta of a population; starts over with an empty one when a compaction is due. */
export class DeltaLives {
  readonly times: number[] = [];
  /** Number of compactions. */
  lives = 0;
  /** The last delta before a compaction. */
  full = emptyDelta;
  readonly #yields: Float64Array;
  readonly #limit: number;
  readonly #maxCommits: number;
  #delta = emptyDelta;
  #commits = 0;

  constructor(yields: Float64Array) {
    const count = yields.length / WINDOW_COUNT;
    this.#yields = yields;
    this.#limit = deltaLimit(count);
    // A small population has changed completely before its delta is full: its compaction is hourly.
    this.#maxCommits = this.#limit >= count ? WHOLE_POPULATION_COMMITS : COMMITS_PER_HOUR;
  }

  commit(): void {
    const { ms, value } = commitOn(this.#yields, this.#delta);
    this.times.push(ms);
    this.#delta = value;
    this.#commits++;
    if (value.size <= this.#limit && this.#commits < this.#maxCommits) return;
    this.lives++;
    this.full = value;
    this.#delta = emptyDelta;
    this.#commits = 0;
  }
}
