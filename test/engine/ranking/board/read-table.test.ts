import { expect } from 'chai';
import { readTable } from '../../../../engine/ranking/board/read-table.ts';
import {
  applySegment,
  buildBaseRun,
  emptyDelta,
  makeSegment,
  OPERATOR_PAGE_SLOTS,
  WINDOW_COUNT,
} from '../../../../engine/ranking/core/board/index.ts';
import { MissingPartError } from '../../../../engine/ranking/read/page-cache.ts';
import type { ManifestDocument } from '../../../../engine/ranking/storage/board-manifest.ts';
import { openStores, type Stores } from '../../../../engine/ranking/storage/stores.ts';
import { useConnection } from '../../../support/engines.ts';

/** One command reads 64 pages; the last page is not full. */
const SLOTS = 66 * OPERATOR_PAGE_SLOTS - 100;
const BASE = 'base-of-many-pages';

/** An operator's changed Yields. */
const AFTER = Array.from({ length: WINDOW_COUNT }, (_, window) => window + 1);
const yields = (): Float64Array => Float64Array.from({ length: SLOTS * WINDOW_COUNT }, (_, at) => at);

describe('the table of a stored board', () => {
  const connection = useConnection();
  let parts: Stores['parts'];

  before(async () => {
    ({ parts } = openStores(connection()));
    const built = buildBaseRun(yields());
    const facts = { version: 1, lastSegment: BASE, hour: 1, methodology: 1, created_at: new Date(0) };
    await parts.writeBaseRun(BASE, built, facts);
    await parts.writePages(BASE, built);
  });

  async function read(): Promise<Float64Array> {
    const last = (SLOTS - 1) * WINDOW_COUNT;
    const change = { operator: SLOTS - 1, before: yields().slice(last), after: AFTER };
    const base = (await parts.base(BASE))!;
    const delta = applySegment(emptyDelta, makeSegment([change]));
    // The manifest is not read.
    const manifest: ManifestDocument = Object.create(null);
    return (await readTable(parts, { manifest, base, delta })).toArray();
  }

  it('has every page in its place, and what changed since', async () => {
    const expected = yields();
    expected.set(AFTER, (SLOTS - 1) * WINDOW_COUNT);
    expect(Buffer.compare(Buffer.from((await read()).buffer), Buffer.from(expected.buffer))).to.equal(0);
  });

  it('is not made of a base that lost a page', async () => {
    await connection()
      .db!.collection<{ _id: string }>('board_pages')
      .deleteOne({ _id: `${BASE}/operators/65` });
    expect(await read().catch((error: unknown) => error)).to.be.instanceOf(MissingPartError);
  });
});
