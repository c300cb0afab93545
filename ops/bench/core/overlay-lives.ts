import {
  applySegment,
  emptyOverlay,
  makeSegment,
  overlayLimit,
  WINDOW_COUNT,
} from '../../../engine/ranking/core/board/index.ts';
import { CHANGES } from './core-costs.ts';

/** Commits after which nothing changes any more over a field that is never due by its size: it has changed all over. */
const WHOLE_FIELD_COMMITS = 600;
/** The service compacts when the overlay is full, and once an hour. */
export const COMMITS_AN_HOUR = 3_600;

/** What a piece of work answers, and the milliseconds that it took. */
export function timed<T>(work: () => T): { readonly ms: number; readonly value: T } {
  const started = performance.now();
  const value = work();
  return { ms: performance.now() - started, value };
}

/** One commit of changes to random operators, on an overlay: what it becomes, and how long that took. */
export function commitOn(yields: Float64Array, overlay: typeof emptyOverlay) {
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

/** The overlays of a field, commit by commit: each from a fresh base on until it is due, then the next. */
export class OverlayLives {
  readonly times: number[] = [];
  /** Ended ones. */
  lives = 0;
  /** The last that ended. */
  full = emptyOverlay;
  readonly #yields: Float64Array;
  readonly #limit: number;
  readonly #mostCommits: number;
  #overlay = emptyOverlay;
  #commits = 0;

  constructor(yields: Float64Array) {
    const count = yields.length / WINDOW_COUNT;
    this.#yields = yields;
    this.#limit = overlayLimit(count);
    // A small field is changed all over before its overlay is full: it waits for its hour.
    this.#mostCommits = this.#limit >= count ? WHOLE_FIELD_COMMITS : COMMITS_AN_HOUR;
  }

  commit(): void {
    const { ms, value } = commitOn(this.#yields, this.#overlay);
    this.times.push(ms);
    this.#overlay = value;
    this.#commits++;
    if (value.size <= this.#limit && this.#commits < this.#mostCommits) return;
    this.lives++;
    this.full = value;
    this.#overlay = emptyOverlay;
    this.#commits = 0;
  }

  mean(): number {
    return this.times.reduce((sum, ms) => sum + ms, 0) / this.times.length;
  }
}
