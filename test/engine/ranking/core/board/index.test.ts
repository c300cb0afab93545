import { expect } from 'chai';
import * as fc from 'fast-check';
import { WINDOW_COUNT } from '../../../../../engine/ranking/core/board/index.ts';
import { percentileOf, tierOf } from '../../../../../engine/ranking/core/score.ts';
import { methodology1 } from '../../../../../engine/ranking/methodologies/methodology-1.ts';
import { runsOf } from '../../../../support/long-run.ts';
import { naiveBoard, naiveRank } from '../../../../support/naive-board.ts';
import { aHistory, aLargeCommit, aYield, boardSizes } from './arbitraries.ts';
import { BoardInMemory, type BoardSizes, type WindowYields } from './board-in-memory.ts';
import { contentsOf } from './delta-contents.ts';

const RUNS = { numRuns: runsOf(100, 3_000) };

type History = ReadonlyArray<ReadonlyArray<readonly [number, WindowYields]> | null>;

function boardAfter(history: History, sizes: BoardSizes): BoardInMemory {
  const board = new BoardInMemory(sizes);
  for (const commit of history) {
    if (commit === null) board.compact();
    else board.commit(commit);
  }
  return board;
}

function modelOf(board: BoardInMemory) {
  return naiveBoard(board.yields, WINDOW_COUNT, methodology1.tiers);
}

/** Compares every read of a board with the model, entry by entry. */
function expectBoardToEqualModel(board: BoardInMemory): void {
  for (const [window, model] of modelOf(board).entries()) {
    expect(board.total(window)).to.equal(model.total);
    const entries = board.slice(window, 0, model.total + 1).map((entry) => ({
      ...entry,
      percentile: percentileOf(entry.rank, board.total(window)),
      class_tier: tierOf(entry.yield_, methodology1),
    }));
    expect(entries).to.deep.equal(model.entries);
    for (const [position, { operator, yield_, rank }] of model.entries.entries()) {
      expect(board.rank(window, yield_)).to.equal(rank);
      expect(board.rankWithout(window, yield_, operator)).to.equal(rank);
      expect(board.position(window, yield_, operator)).to.equal(position);
    }
    for (const [operator, yields] of board.yields) {
      expect(board.yieldOf(window, operator)).to.deep.equal(yields[window] ?? Number.NaN);
    }
  }
}

describe('a board of base run and delta', () => {
  it('equals the full sort after any commits and compactions', () => {
    fc.assert(
      fc.property(aHistory, boardSizes, (history, sizes) => expectBoardToEqualModel(boardAfter(history, sizes))),
      RUNS,
    );
  });

  it('equals the full sort after large commits', () => {
    const histories = fc.tuple(aLargeCommit, fc.constant(null), aLargeCommit, aLargeCommit);
    fc.assert(
      fc.property(histories, (history) => {
        const board = boardAfter(history, { orderPageEntries: 64, operatorPageSlots: 128 });
        expectBoardToEqualModel(board);
        expect(contentsOf(board.deltaOfMergedSegments())).to.deep.equal(contentsOf(board.delta));
      }),
      { numRuns: runsOf(4, 40) },
    );
  });

  it('ranks a Yield that is not on the board, with and without an operator of the board', () => {
    fc.assert(
      fc.property(aHistory, boardSizes, aYield, (history, sizes, y) => {
        const board = boardAfter(history, sizes);
        for (const [window, model] of modelOf(board).entries()) {
          expect(board.rank(window, y)).to.equal(naiveRank(model, y));
          for (const operator of [...board.yields.keys(), 41]) {
            expect(board.rankWithout(window, y, operator)).to.equal(naiveRank(model, y, operator));
          }
        }
      }),
      RUNS,
    );
  });

  it('returns the entries of any slice, with their ranks', () => {
    const offset = fc.integer({ min: 0, max: 45 });
    const limit = fc.integer({ min: 0, max: 12 });
    fc.assert(
      fc.property(aHistory, boardSizes, offset, limit, (history, sizes, from, count) => {
        const board = boardAfter(history, sizes);
        for (const [window, model] of modelOf(board).entries()) {
          const expected = model.entries.slice(from, from + count);
          expect(board.slice(window, from, count)).to.deep.equal(
            expected.map(({ operator, yield_, rank }) => ({ operator, yield_, rank })),
          );
        }
      }),
      RUNS,
    );
  });

  it('is the same when segments are applied one by one and when they are merged first', () => {
    fc.assert(
      fc.property(aHistory, boardSizes, (history, sizes) => {
        const board = boardAfter(history, sizes);
        expect(contentsOf(board.deltaOfMergedSegments())).to.deep.equal(contentsOf(board.delta));
      }),
      RUNS,
    );
  });

  it('has the same base run when loaded in one commit and when compacted in between', () => {
    fc.assert(
      fc.property(aHistory, boardSizes, (history, sizes) => {
        const grown = boardAfter([...history, null], sizes);
        const loaded = boardAfter([[...grown.yields], null], sizes);
        expect(loaded.base).to.deep.equal(grown.base);
      }),
      RUNS,
    );
  });

  it('keeps in the delta only differences from the base run', () => {
    fc.assert(
      fc.property(aHistory, boardSizes, (history, sizes) => {
        const board = boardAfter(history, sizes);
        const delta = contentsOf(board.delta);
        const differing = new Set<number>();
        for (let window = 0; window < WINDOW_COUNT; window++) {
          const { removed, added } = delta.windows[window]!;
          for (const [operator, yields] of board.yields) {
            const base = board.baseEntry(window, operator).yield_;
            const now = yields[window] ?? Number.NaN;
            const differs = !Object.is(base, now);
            if (differs) differing.add(operator);
            const edits = (of: typeof removed) => of.filter((edit) => edit[1] === operator).map(([y]) => y);
            expect(edits(removed)).to.deep.equal(differs && !Number.isNaN(base) ? [base] : []);
            expect(edits(added)).to.deep.equal(differs && !Number.isNaN(now) ? [now] : []);
          }
        }
        expect([...delta.changes.operators]).to.deep.equal([...differing].toSorted((a, b) => a - b));
        expect(board.delta.size).to.equal(differing.size);
      }),
      RUNS,
    );
  });

  it('does not modify former deltas', () => {
    fc.assert(
      fc.property(aHistory, boardSizes, (history, sizes) => {
        const board = new BoardInMemory(sizes);
        const kept: Array<{ delta: unknown; copy: unknown }> = [];
        for (const commit of history) {
          if (commit === null) board.compact();
          else board.commit(commit);
          kept.push({ delta: board.delta, copy: structuredClone(board.delta) });
        }
        for (const { delta, copy } of kept) expect(delta).to.deep.equal(copy);
      }),
      { numRuns: 100 },
    );
  });
});

/** One Yield in every window. */
const same = (y: number | null): WindowYields => Array.from({ length: WINDOW_COUNT }, () => y);

/** A commit of `count` operators with ascending Yields. */
const rising = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => [from + index, same(index)] as const);

describe('boards at their limits', () => {
  const sizes = { orderPageEntries: 7, operatorPageSlots: 16 };

  it('is empty before the first commit, and after a compaction without entries', () => {
    const board = new BoardInMemory(sizes);
    for (const compact of [false, true]) {
      if (compact) board.compact();
      expect(board.total(0)).to.equal(0);
      expect(board.slice(0, 0, 10)).to.deep.equal([]);
      expect(board.rank(0, 5)).to.equal(1);
      expect(board.position(0, 5, 1)).to.equal(0);
    }
  });

  it('holds one operator', () => {
    for (const history of [[[[1, same(0)]]], [[[1, same(0)]], null]] as History[]) {
      const board = boardAfter(history, sizes);
      expectBoardToEqualModel(board);
      expect(board.slice(0, 0, 10)).to.deep.equal([{ operator: 1, yield_: 0, rank: 1 }]);
    }
  });

  it('holds hundreds of ties, in the base run, the delta and both', () => {
    const tied = (from: number) => Array.from({ length: 300 }, (_, index) => [from + index, same(1)] as const);
    expectBoardToEqualModel(boardAfter([tied(1)], sizes));
    expectBoardToEqualModel(boardAfter([tied(1), null], sizes));
    const both = boardAfter([[...tied(1), [900, same(2)]], null, tied(301)], sizes);
    expectBoardToEqualModel(both);
    expect(both.slice(0, 450, 2)).to.deep.equal([
      { operator: 450, yield_: 1, rank: 2 },
      { operator: 451, yield_: 1, rank: 2 },
    ]);
  });

  it('distinguishes extreme Yields', () => {
    const extremes = [0, 5e-324, 1e-323, 1e-308, 1, 1 + Number.EPSILON, 1e308, Number.MAX_VALUE];
    const commit = extremes.map((y, index) => [index + 1, same(y)] as const);
    const board = boardAfter([commit, null], { orderPageEntries: 3, operatorPageSlots: 2 });
    expectBoardToEqualModel(board);
    expect(board.slice(0, 0, 99).map(({ rank }) => rank)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('reads a board whose base entries are all removed', () => {
    const gone = rising(50).map(([operator]) => [operator, same(null)] as const);
    const board = boardAfter([rising(50), null, gone], sizes);
    expectBoardToEqualModel(board);
    expect(board.slice(0, 0, 10)).to.deep.equal([]);
    board.commit(rising(50, 101));
    expectBoardToEqualModel(board);
  });

  it('reads no page for entries that are only in the delta, nor past the end', () => {
    const board = boardAfter(
      [
        rising(50),
        null,
        [
          [60, same(1e6)],
          [61, same(2e6)],
        ],
      ],
      sizes,
    );
    expect(board.slice(0, 0, 2).map(({ operator }) => operator)).to.deep.equal([61, 60]);
    expect(board.slice(0, 52, 10)).to.deep.equal([]);
    expect(board.slice(0, 0, 0)).to.deep.equal([]);
    expect(board.pagesRead).to.equal(0);
  });

  it('reads only the pages that contain its entries', () => {
    const board = boardAfter([rising(200), null], { orderPageEntries: 20, operatorPageSlots: 16 });
    for (let offset = 0; offset <= 180; offset++) {
      board.pagesRead = 0;
      board.slice(0, offset, 20);
      expect(board.pagesRead).to.equal(offset % 20 === 0 ? 1 : 2);
    }
  });

  it('throws for a slice before its pages are fed', () => {
    const board = boardAfter([rising(3), null], sizes);
    const result = () => board.cursor(0, 0, 3).result();
    expect(result).to.throw('order page 0 is needed');
  });
});
