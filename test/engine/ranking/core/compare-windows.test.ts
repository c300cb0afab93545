import { expect } from 'chai';
import * as fc from 'fast-check';
import { runToCompletion, sortWindow, WINDOW_COUNT } from '../../../../engine/ranking/core/board/index.ts';
import { compareWindows, type Mover } from '../../../../engine/ranking/core/compare-windows.ts';
import { tierOf } from '../../../../engine/ranking/core/score.ts';
import { METHODOLOGIES } from '../../../../engine/ranking/methodologies/index.ts';
import { type NaiveWindow, naiveBoard } from '../../../support/naive-board.ts';

const methodology = METHODOLOGIES.get(1)!;
/** Its names, with other bounds: a comparison has different ones before and after. */
const moved = { ...methodology, tiers: methodology.tiers.map(({ name, from }) => ({ name, from: from * 20 })) };

/** Yields of few values, so that there are ties; null = unranked. */
const yields = fc.array(fc.option(fc.constantFrom(0, 0.5, 2, 20, 200, 2_000, 200_000), { freq: 3 }), { maxLength: 60 });

function comparedWindow(given: readonly (number | null)[], by = methodology) {
  const table = new Float64Array(given.length * WINDOW_COUNT).fill(Number.NaN);
  given.forEach((yield_, operator) => {
    table[operator * WINDOW_COUNT] = yield_ ?? Number.NaN;
  });
  return { keys: runToCompletion(sortWindow(table, 0)), tierOf: (yield_: number) => tierOf(yield_, by) };
}

function modelOf(given: readonly (number | null)[], { tiers } = methodology): NaiveWindow {
  return naiveBoard(new Map(given.map((yield_, operator) => [operator, [yield_]])), 1, tiers)[0]!;
}

/** Ranks gained by each mover. */
function climbs(movers: readonly Mover[]): number[] {
  return movers.map((mover) => mover.before! - mover.after!);
}

describe('compareWindows', () => {
  it('reports rank changes, their sizes and tier changes', () => {
    fc.assert(
      fc.property(yields, yields, (before, after) => {
        const [then, now] = [modelOf(before), modelOf(after, moved)];
        const both = then.entries.filter(({ operator }) => now.byOperator.has(operator));
        const moves = both.map(({ operator, rank }) => rank - now.byOperator.get(operator)!.rank);
        const found = compareWindows(
          comparedWindow(before),
          comparedWindow(after, moved),
          Math.max(before.length, after.length),
        );
        expect(found).to.include({
          rankedBefore: then.total,
          rankedAfter: now.total,
          newlyUnranked: then.total - both.length,
          newlyRanked: now.total - both.length,
          moved: moves.filter((places) => places !== 0).length,
        });
        for (const [bucket, min] of [0, 1, 10].entries()) {
          const max = [0, 9, 99][bucket]!;
          const expected = moves.filter((places) => Math.abs(places) >= min && Math.abs(places) <= max).length;
          expect(found.movedBy[bucket] ?? 0, `moved by ${min} to ${max}`).to.equal(expected);
        }
        const descending = moves.filter((places) => places > 0).sort((one, other) => other - one);
        expect(climbs(found.climbers)).to.deep.equal(descending.slice(0, 10));
        const ascending = moves.filter((places) => places < 0).sort((one, other) => one - other);
        expect(climbs(found.fallers)).to.deep.equal(ascending.slice(0, 10));
        const gone = then.entries.filter(({ operator }) => !now.byOperator.has(operator)).map(({ rank }) => rank);
        expect(found.unranked.map((mover) => mover.before)).to.deep.equal(gone.slice(0, 10));
        const changed = both.filter((entry) => entry.class_tier !== now.byOperator.get(entry.operator)!.class_tier);
        expect(found.tierChanges.reduce((sum, { operators }) => sum + operators, 0)).to.equal(changed.length);
        const reached = found.tierChanges.map(({ to }) => methodology.tiers.findIndex(({ name }) => name === to));
        expect(reached, 'tiers, the lowest first').to.deep.equal(reached.toSorted((one, other) => one - other));
        for (const { from, to, operators } of found.tierChanges) {
          const same = changed.filter(
            (entry) => entry.class_tier === from && now.byOperator.get(entry.operator)!.class_tier === to,
          );
          expect(operators, `${from} to ${to}`).to.equal(same.length);
        }
      }),
    );
  });

  it('reports the ten largest gains and the ten largest losses', () => {
    const before = Array.from({ length: 24 }, (_, operator) => 24 - operator);
    const { climbers, fallers } = compareWindows(
      comparedWindow(before),
      comparedWindow(before.toReversed()),
      before.length,
    );
    const most = Array.from({ length: 10 }, (_, place) => 23 - 2 * place);
    expect(climbs(climbers)).to.deep.equal(most);
    expect(climbs(fallers).map((places) => -places)).to.deep.equal(most);
  });

  it('reports no difference between a board and itself, or between empty boards', () => {
    const given = [null, 3, 2, 2, null, 7];
    const same = compareWindows(comparedWindow(given), comparedWindow(given), given.length);
    expect(same).to.deep.include({ moved: 0, newlyRanked: 0, newlyUnranked: 0, movedBy: [4], tierChanges: [] });
    const others = compareWindows(comparedWindow(given), comparedWindow(given, moved), given.length);
    expect(others.tierChanges, 'tiers alone').to.deep.equal([{ from: 'REFINER', to: 'BEARER', operators: 4 }]);
    const empty = compareWindows(comparedWindow([]), comparedWindow([]), 0);
    expect(empty).to.deep.include({ rankedBefore: 0, rankedAfter: 0, movedBy: [], climbers: [], unranked: [] });
  });
});
