import { expect } from 'chai';
import {
  buildBaseRun,
  OPERATOR_PAGE_SLOTS,
  ORDER_PAGE_ENTRIES,
  WINDOW_COUNT,
} from '../../../../engine/ranking/core/board/index.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { useConnection } from '../../../support/engines.ts';

/** More than ten: their ids do not sort as their numbers do. */
const PAGES = 12;

/** A table in which every operator's Yields equal its number. */
const table = (): Float64Array =>
  Float64Array.from({ length: OPERATOR_PAGE_SLOTS * PAGES * WINDOW_COUNT }, (_, at) => Math.floor(at / WINDOW_COUNT));

describe('stored base runs', () => {
  const connection = useConnection();

  it('return operator pages in order, and fewer when one is missing', async () => {
    const { parts } = openStores(connection());
    await parts.writePages('base-one', buildBaseRun(table()));
    const first = async (from: number, count: number): Promise<(number | undefined)[]> =>
      (await parts.operatorPages('base-one', from, count)).map(({ yields }) => yields[0]);
    const starts = Array.from({ length: PAGES }, (_, page) => page * OPERATOR_PAGE_SLOTS);
    expect(await first(0, PAGES)).to.deep.equal(starts);
    expect(await first(1, PAGES)).to.deep.equal(starts.slice(1));
    await connection().db!.collection<{ _id: string }>('board_pages').deleteOne({ _id: 'base-one/operators/1' });
    expect(await first(0, PAGES)).to.deep.equal(starts.toSpliced(1, 1));
    expect(await parts.operatorPage('base-one', 1)).to.equal(null);
  });

  it('refuse operator pages of another size', async () => {
    const { parts } = openStores(connection());
    const sizes = { orderPageEntries: ORDER_PAGE_ENTRIES, operatorPageSlots: 4 * OPERATOR_PAGE_SLOTS };
    await parts.writePages('base-two', buildBaseRun(table(), sizes));
    const reads = [parts.operatorPage('base-two', 0), parts.operatorPages('base-two', 0, 1)];
    for (const read of reads) {
      const message = await read.then(
        () => 'read',
        (error: unknown) => String(error),
      );
      expect(message).to.contain('was stored by another release');
    }
  });
});
