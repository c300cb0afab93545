import {
  applySegment,
  deltaLimit,
  emptyDelta,
  makeSegment,
  WINDOW_COUNT,
} from '../../../engine/ranking/core/board/index.ts';
import { CHANGES } from './core-costs.ts';

/** Commits after which nothing changes any more over a field that is never due by its size: it has changed all over. */
const WHOLE_POPULATION_COMMITS = 600;
/** The service compacts when the overlay is full, and once an hour. */
export const COMMITS_AN_HOUR = 3_600;

/** What a piece of work answers, and the milliseconds that it took. */
export function timed<T>(work: () => T): { readonly ms: number; readonly value: T } {
  const started = performance.now();
  const value = work();
  return { ms: performance.now() - started, value };
}

/** One commit of changes to random operators, on an overlay: what it becomes, and how long that took. */
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

/** The overlays of a field, commit by commit: each from a fresh base on until it is due, then the next. */
export class DeltaLives {
  readonly times: number[] = [];
  /** Ended ones. */
  lives = 0;
  /** The last that ended. */
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
    // A small field is changed all over before its overlay is full: it waits for its hour.
    this.#maxCommits = this.#limit >= count ? WHOLE_POPULATION_COMMITS : COMMITS_AN_HOUR;
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

  mean(): number {
    return this.times.reduce((sum, ms) => sum + ms, 0) / this.times.length;
  }
}
