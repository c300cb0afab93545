import * as fc from 'fast-check';
import { type LevelSizes, type PageSizes, WINDOW_COUNT } from '../../../../../engine/ranking/core/board/index.ts';
import type { BoardSizes, WindowYields } from './board-in-memory.ts';

/** Few operators, so that the same ones change repeatedly. */
const OPERATORS = 40;

/** Yields at the ends of the range of doubles, and around the boundary between the two words. */
const EXTREME_YIELDS = [
  0,
  5e-324,
  1e-310,
  2.2250738585072014e-308,
  1,
  1 + Number.EPSILON,
  2 ** 53,
  1e308,
  Number.MAX_VALUE,
];

export const aYield: fc.Arbitrary<number> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom(...EXTREME_YIELDS) },
  { weight: 2, arbitrary: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((y) => y + 0) },
);

const windowYields: fc.Arbitrary<WindowYields> = fc.array(fc.option(aYield, { freq: 4 }), {
  minLength: WINDOW_COUNT,
  maxLength: WINDOW_COUNT,
});

export const aCommit: fc.Arbitrary<Array<[operator: number, yields: WindowYields]>> = fc.uniqueArray(
  fc.tuple(fc.integer({ min: 1, max: OPERATORS }), windowYields),
  { selector: ([operator]) => operator, maxLength: 15, size: 'max' },
);

/** Commits, and compactions (`null`) between them. */
export const aHistory = fc.array(fc.option(aCommit, { freq: 5 }), { maxLength: 12, size: 'max' });

/** A commit of hundreds among two thousand operators: long enough for the code paths for many entries. */
export const aLargeCommit: fc.Arbitrary<Array<[operator: number, yields: WindowYields]>> = fc.uniqueArray(
  fc.tuple(fc.integer({ min: 1, max: 2_000 }), windowYields),
  { selector: ([operator]) => operator, minLength: 300, maxLength: 600, size: 'max' },
);

/** Pages so small that slices and ties cross their boundaries. */
export const pageSizes: fc.Arbitrary<PageSizes> = fc.record({
  orderPageEntries: fc.integer({ min: 1, max: 6 }),
  operatorPageSlots: fc.integer({ min: 1, max: 9 }),
});

/** Levels so small, and of such similar sizes, that all kinds of merges and deltas with many levels occur. */
export const levelSizes: fc.Arbitrary<LevelSizes> = fc.record({
  minOperators: fc.integer({ min: 0, max: 6 }),
  ratio: fc.constantFrom(0, 0.5, 1, 2, 8),
});

export const boardSizes: fc.Arbitrary<BoardSizes> = fc
  .tuple(pageSizes, levelSizes)
  .map(([pages, levels]) => ({ ...pages, levels }));
