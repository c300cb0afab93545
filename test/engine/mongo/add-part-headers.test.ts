import { expect } from 'chai';
import { mongo } from 'mongoose';
import { type Connection, MIGRATIONS, migrate, openMongo } from '../../../engine/mongo/index.ts';
import { OPERATOR_PAGE_SLOTS, WINDOW_COUNT } from '../../../engine/ranking/core/board/index.ts';
import { openStores } from '../../../engine/ranking/storage/stores.ts';
import { freshDatabase } from '../../support/engines.ts';
import { storeExport } from '../../support/export-of-version-3.ts';

interface Part {
  readonly _id: string;
  readonly bytes: mongo.Binary;
}

const COLLECTIONS = ['board_pages', 'board_segments', 'rerank_parts', 'board_base_runs', 'board_top_entries'];
const RERANK_YIELDS = Float64Array.from({ length: 3 * WINDOW_COUNT }, (_, at) => (at < 5 ? Number.NaN : at));

const bytesOf = ({ buffer, position }: mongo.Binary): Buffer => Buffer.from(buffer.subarray(0, position));

describe('parts of boards without headers', () => {
  let connection: Connection;
  /** Pages and segments as stored before the migration. */
  let former: ReadonlyMap<string, Buffer>;
  const parts = (name: string) => connection.collection<Part>(name);
  const migrateFrom = async (version: number): Promise<void> => {
    await connection.collection<{ _id: string }>('schema').updateOne({ _id: 'schema' }, { $set: { version } });
    await migrate(connection, { migrations: MIGRATIONS, clock: Date.now });
  };
  const everything = async (): Promise<unknown[]> =>
    Promise.all(COLLECTIONS.map((name) => connection.collection(name).find().sort({ _id: 1 }).toArray()));

  before(async () => {
    connection = await openMongo((await freshDatabase()).mongoUrl);
    await storeExport(connection);
    const stored = [
      ...(await parts('board_pages').find().toArray()),
      ...(await parts('board_segments').find().toArray()),
    ];
    former = new Map(stored.map(({ _id, bytes }) => [_id, bytesOf(bytes)]));
    const bytes = new mongo.Binary(Buffer.from(RERANK_YIELDS.buffer));
    await parts('rerank_parts').insertOne({ _id: 'run/000000', bytes });
    await migrate(connection, { migrations: MIGRATIONS, clock: Date.now });
  });

  after(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  it('get headers, and are the same after them', async () => {
    for (const name of ['board_pages', 'board_segments', 'rerank_parts']) {
      const found = await parts(name).find().toArray();
      expect(found, name).to.not.be.empty;
      for (const { _id, bytes } of found) {
        const now = bytesOf(bytes);
        const before = former.get(_id);
        expect(now.toString('latin1', 0, 4), _id).to.equal('UPSB');
        if (before !== undefined) expect(now.subarray(13 + now[12]!).equals(before), _id).to.equal(true);
      }
    }
  });

  it('are readable in every kept base run', async () => {
    const stores = openStores(connection);
    const { history } = (await stores.board.read())!;
    expect(history.length).to.be.greaterThan(2);
    for (const { base } of history) {
      const header = (await stores.parts.base(base))!;
      for (const [window, { count }] of header.directories.entries()) {
        const page = count === 0 ? null : await stores.parts.orderPage(base, window, 0);
        expect(page?.operators.length ?? 0, base).to.equal(count);
      }
      const page = header.slots === 0 ? null : await stores.parts.operatorPage(base, 0);
      if (page !== null) expect(page.ranks.length).to.equal(OPERATOR_PAGE_SLOTS * WINDOW_COUNT);
    }
    expect(await stores.rerankParts.read('run', 0)).to.deep.equal({ yields: RERANK_YIELDS, crossed: [] });
  });

  it('are left alone when they have headers, and get them after an interruption', async () => {
    const migrated = await everything();
    await migrateFrom(4);
    expect(await everything()).to.deep.equal(migrated);
    let index = 0;
    for (const [_id, bytes] of former) {
      if (index++ % 2 === 0) continue;
      for (const name of ['board_pages', 'board_segments']) {
        await parts(name).updateOne({ _id }, { $set: { bytes: new mongo.Binary(bytes) } });
      }
    }
    await migrateFrom(4);
    expect(await everything()).to.deep.equal(migrated);
  });

  it('end the migration by name when they are damaged', async () => {
    await parts('board_segments').insertOne({ _id: 'damaged', bytes: new mongo.Binary(Buffer.alloc(67)) });
    const message = await migrateFrom(4).then(
      () => 'migrated',
      (error: unknown) => String(error),
    );
    expect(message).to.contain('board_segments damaged: 67 bytes are no segment');
  });
});
