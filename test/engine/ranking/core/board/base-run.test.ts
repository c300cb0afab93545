import { expect } from 'chai';
import {
  buildBaseRun,
  OPERATOR_PAGE_SLOTS,
  ORDER_PAGE_ENTRIES,
  operatorPageOf,
  WINDOW_COUNT,
} from '../../../../../engine/ranking/core/board/index.ts';
import { tableOf } from './board-in-memory.ts';

const sizes = { orderPageEntries: 2, operatorPageSlots: 4 };

/** Five operators; window 0 reads 9, 5, 5, 5, 0 in board order, window 1 has one entry, the others none. */
const table = tableOf(
  new Map([
    [1, [5, null, null, null]],
    [2, [9, 1, null, null]],
    [3, [5, null, null, null]],
    [4, [0, null, null, null]],
    [5, [5, null, null, null]],
  ]),
);

describe('buildBaseRun', () => {
  it('does not change when the table changes before the pages are read', () => {
    const changing = table.slice();
    const base = buildBaseRun(changing, sizes);
    changing.fill(1e9);
    const untouched = buildBaseRun(table, sizes);
    expect([...base.operatorPages()]).to.deep.equal([...untouched.operatorPages()]);
    expect([...base.orderPages(0)]).to.deep.equal([...untouched.orderPages(0)]);
  });

  it('has pages of the stored sizes by default', () => {
    const operators = ORDER_PAGE_ENTRIES + 1;
    const big = new Float64Array((operators + 1) * WINDOW_COUNT).fill(1).fill(Number.NaN, 0, WINDOW_COUNT);
    const base = buildBaseRun(big);
    expect(base.directories[3]!.pageEntries).to.equal(ORDER_PAGE_ENTRIES);
    expect(Array.from(base.orderPages(3), ({ operators: page }) => page.length)).to.deep.equal([ORDER_PAGE_ENTRIES, 1]);
    const pages = [...base.operatorPages()];
    expect(pages.length).to.equal(operatorPageOf(operators) + 1);
    expect(pages[0]!.yields.length).to.equal(OPERATOR_PAGE_SLOTS * WINDOW_COUNT);
  });
});
