import { expect } from 'chai';
import { makeSegment, WINDOW_COUNT, YieldTable } from '../../../../../engine/ranking/core/board/index.ts';

const NONE = Array.from({ length: WINDOW_COUNT }, () => Number.NaN);

/** A segment with Yields that identify the operator and the window. */
function arriving(operators: readonly number[]) {
  return makeSegment(operators.map((operator) => ({ operator, before: NONE, after: yieldsOf(operator) })));
}

function yieldsOf(operator: number): readonly number[] {
  return NONE.map((_, window) => operator * 10 + window);
}

describe('YieldTable', () => {
  it('has the Yields of a segment, and none of other operators', () => {
    const table = new YieldTable(new Float64Array([...NONE, ...yieldsOf(1), ...NONE]));
    table.apply(arriving([2]));
    expect([0, 1, 2, 3].map((operator) => [...table.of(operator)])).to.deep.equal([
      NONE,
      yieldsOf(1),
      yieldsOf(2),
      NONE,
    ]);
    expect(table.toArray().length).to.equal(3 * WINDOW_COUNT);
  });

  it('grows with new operators, one by one and with a gap', () => {
    const table = new YieldTable(new Float64Array(0));
    const arrived = [...Array.from({ length: 3_000 }, (_, operator) => operator), 50_000];
    for (const operator of arrived) table.apply(arriving([operator]));
    for (const operator of arrived) expect([...table.of(operator)]).to.deep.equal(yieldsOf(operator));
    for (const operator of [3_000, 20_000, 49_999, 50_001]) expect([...table.of(operator)]).to.deep.equal(NONE);
    expect(table.toArray().length).to.equal(50_001 * WINDOW_COUNT);
  });

  it('does not change with an empty segment', () => {
    const table = new YieldTable(new Float64Array(0));
    table.apply(makeSegment([]));
    expect(table.toArray().length).to.equal(0);
  });
});
