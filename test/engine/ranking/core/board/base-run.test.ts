import { expect } from 'chai';
import {
  buildBaseRun,
  countBefore,
  countGreater,
  isGreaterKnown,
  OPERATOR_PAGE_SLOTS,
  ORDER_PAGE_ENTRIES,
  operatorPageOf,
  operatorSlotOf,
  orderPageForKey,
  orderPageForYield,
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
  it('splits each window into pages, with a directory of their bounds', () => {
    const base = buildBaseRun(table, sizes);
    expect(base.slots).to.equal(6);
    expect(base.directories[0]).to.deep.equal({
      pageEntries: 2,
      count: 5,
      firstYields: Float64Array.of(9, 5, 0),
      firstOperators: Uint32Array.of(2, 3, 4),
      lastYields: Float64Array.of(5, 5, 0),
    });
    expect(Array.from(base.orderPages(0), ({ operators }) => [...operators])).to.deep.equal([[2, 1], [3, 5], [4]]);
    expect(base.directories.map(({ count }) => count)).to.deep.equal([
      5,
      1,
      ...Array.from({ length: WINDOW_COUNT - 2 }, () => 0),
    ]);
    expect([...base.orderPages(2)]).to.deep.equal([]);
  });

  it('gives Yields and competition ranks by operator, in full pages', () => {
    const pages = [...buildBaseRun(table, sizes).operatorPages()];
    const window0 = pages.flatMap(({ yields, ranks }) =>
      Array.from({ length: sizes.operatorPageSlots }, (_, slot) => [
        yields[slot * WINDOW_COUNT],
        ranks[slot * WINDOW_COUNT],
      ]),
    );
    const unranked = [Number.NaN, 0];
    expect(window0).to.deep.equal([unranked, [5, 2], [9, 1], [5, 2], [0, 5], [5, 2], unranked, unranked]);
    expect(pages[0]!.ranks[2 * WINDOW_COUNT + 1]).to.equal(1);
  });

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

  it('has neither pages nor entries without operators', () => {
    const base = buildBaseRun(new Float64Array(0));
    expect(base.slots).to.equal(0);
    expect([...base.operatorPages()]).to.deep.equal([]);
    expect(base.directories.map(({ count }) => count)).to.deep.equal(Array.from({ length: WINDOW_COUNT }, () => 0));
  });
});

describe('operatorPageOf and operatorSlotOf', () => {
  it('count operators from slot 0 of page 0', () => {
    expect([operatorPageOf(1), operatorSlotOf(1)]).to.deep.equal([0, 1]);
    expect([operatorPageOf(255), operatorSlotOf(255)]).to.deep.equal([0, 255]);
    expect([operatorPageOf(256), operatorSlotOf(256)]).to.deep.equal([1, 0]);
  });
});

describe('a directory', () => {
  const base = buildBaseRun(table, sizes);
  const directory = base.directories[0]!;
  const pages = [...base.orderPages(0)];

  it('finds the page of the first entry at or below a Yield', () => {
    const found = [10, 9, 7, 5, 3, 0].map((y) => orderPageForYield(directory, y));
    expect(found).to.deep.equal([0, 0, 0, 0, 2, 2]);
    const above = buildBaseRun(tableOf(new Map([[1, [3, null, null, null]]])), sizes).directories[0]!;
    expect(orderPageForYield(above, 2)).to.equal(null);
    expect(countGreater(above, null, undefined, 2)).to.equal(1);
  });

  it('counts greater Yields without a page when possible, and throws when the page is required', () => {
    expect(isGreaterKnown(directory, 0, 9)).to.equal(true);
    expect(countGreater(directory, 0, undefined, 9)).to.equal(0);
    expect(countGreater(directory, 2, undefined, 3)).to.equal(4);
    expect(isGreaterKnown(directory, 0, 5)).to.equal(false);
    expect(countGreater(directory, 0, pages[0], 5)).to.equal(1);
    expect(() => countGreater(directory, 0, undefined, 5)).to.throw('order page 0 is required');
  });

  it('finds the page of a key and counts the entries before it', () => {
    expect(orderPageForKey(directory, 9, 1)).to.equal(null);
    expect(countBefore(directory, { y: 9, operator: 1, pageIndex: null, page: undefined })).to.equal(0);
    expect(orderPageForKey(directory, 5, 2)).to.equal(0);
    expect(countBefore(directory, { y: 5, operator: 2, pageIndex: 0, page: pages[0] })).to.equal(2);
    expect(orderPageForKey(directory, 5, 5)).to.equal(1);
    expect(countBefore(directory, { y: 5, operator: 5, pageIndex: 1, page: pages[1] })).to.equal(3);
    expect(orderPageForKey(directory, 0, 99)).to.equal(2);
    expect(countBefore(directory, { y: 0, operator: 99, pageIndex: 2, page: pages[2] })).to.equal(5);
    expect(() => countBefore(directory, { y: 5, operator: 5, pageIndex: 1, page: undefined })).to.throw(
      'order page 1 is required',
    );
  });
});
