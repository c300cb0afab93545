import { randomInt } from 'node:crypto';
import { processEnvironment } from '../../config/env.ts';

/** A seeded source of random choices. */
export interface SeededRandom {
  readonly seed: number;
  /** In [0, 1). */
  next(): number;
  /** An integer in [least, most]. */
  integer(least: number, most: number): number;
  pick<T>(choices: readonly T[]): T;
  /** A new array in random order. */
  shuffled<T>(items: readonly T[]): T[];
}

/** Names the seed that everything random in a run derives from. */
export const SEED = 'TEST_SEED';

/** The run's seed: TEST_SEED if set, else a new one. `npm test` sets and prints it. */
export function runSeed(): number {
  const given = processEnvironment()[SEED];
  if (given === undefined) return randomInt(2 ** 31);
  if (!/^\d{1,15}$/.test(given)) throw new Error(`${SEED} is ${given}, not an integer from 0 on`);
  return Number(given);
}

/** mulberry32, seeded. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    seed,
    next,
    integer,
    pick: (choices) => choices[integer(0, choices.length - 1)]!,
    shuffled(items) {
      const copy = [...items];
      for (let last = copy.length - 1; last > 0; last--) {
        const other = integer(0, last);
        [copy[last], copy[other]] = [copy[other]!, copy[last]!];
      }
      return copy;
    },
  };
}
