import { expect } from 'chai';
import { mongo } from 'mongoose';
import { WAIVERS } from '../../../../engine/integrity/index.ts';
import { type Connection, openMongo } from '../../../../engine/mongo/index.ts';
import { PLATFORM_NUMBERS, TOTALS_NUMBERS } from '../../../../engine/ranking/core/operator-state/index.ts';
import { toBinary } from '../../../../engine/ranking/storage/binary.ts';
import { openStores, type Stores } from '../../../../engine/ranking/storage/stores.ts';
import type { TotalsBatch } from '../../../../engine/ranking/storage/totals-batch.ts';
import { freshDatabase } from '../../../support/engines.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';

const OPERATORS = 300;

interface Row {
  readonly operator: number;
  readonly listed: boolean;
  readonly totals: readonly number[];
}

function rowsOf({ operators, listed, totals }: TotalsBatch): Row[] {
  return Array.from(operators, (operator, index) => ({
    operator,
    listed: listed[index] === 1,
    totals: [...totals.subarray(index * TOTALS_NUMBERS, (index + 1) * TOTALS_NUMBERS)],
  }));
}

describe("operators' totals", () => {
  const random = seededRandom(runSeed());
  const stored: Row[] = [];
  let connection: Connection;
  let stores: Stores;

  const documents = () => connection.db!.collection<{ _id: number | mongo.Double }>('operators');

  /** A record as batches write it, with every kind of field around the fields that are read. */
  function recordOf({ operator, listed, totals }: Row, id: number | mongo.Double = operator) {
    return {
      _id: id,
      codename: `firstBatch-${operator}`,
      display_name: null,
      listed,
      revision: 'a',
      hour: 480_000.5,
      totals: toBinary(Float64Array.from(totals)),
      witnessed: [1, 2],
      older: '',
      platforms: 'one,,two,',
      streams: new mongo.Binary(Buffer.alloc(random.integer(0, 400), 1)),
      created_at: new Date(0),
    };
  }

  before(async () => {
    connection = await openMongo((await freshDatabase()).mongoUrl);
    stores = openStores(connection);
    let operator = 0;
    for (let made = 0; made < OPERATORS; made++) {
      operator += random.integer(1, 3);
      const totals = Array.from({ length: TOTALS_NUMBERS }, () => random.next() * 10 ** random.integer(0, 15));
      stored.push({ operator, listed: random.integer(0, 4) > 0, totals });
    }
    await documents().insertMany(
      stored.map((one) => recordOf(one, random.integer(0, 9) === 0 ? new mongo.Double(one.operator) : one.operator)),
    );
  });

  after(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  it(`are read by a range of numbers, in order (seed ${random.seed})`, async () => {
    const last = stored.at(-1)!.operator;
    for (const [from, until] of [
      [0, last + 1],
      [17, 230],
      [last, last + 1],
      [last + 1, last + 500],
    ] as const) {
      const expected = stored.filter(({ operator }) => operator >= from && operator < until);
      expect(rowsOf(await stores.operators.totalsBetween(from, until))).to.deep.equal(expected);
    }
  });

  it('are read for the given operators that exist', async () => {
    const wanted = random.shuffled(stored).slice(0, 100);
    const numbers = [...wanted.map(({ operator }) => operator), 1_000_000, 1_000_001];
    const expected = wanted.toSorted((one, other) => one.operator - other.operator);
    expect(rowsOf(await stores.operators.totalsOf(numbers))).to.deep.equal(expected);
    expect(rowsOf(await stores.operators.totalsOf([]))).to.deep.equal([]);
  });

  it('are read with what records assert', async () => {
    const [{ operator } = { operator: 0 }] = stored;
    const waived = Float64Array.from({ length: WAIVERS }, (_, place) => place * 1e6);
    await documents().updateOne({ _id: operator }, { $set: { findings: 5, waived: toBinary(waived) } });
    const batch = await stores.operators.totalsOf([operator, stored[1]!.operator]);
    expect([...batch.findings]).to.deep.equal([5, 0]);
    expect(batch.waived).to.deep.equal(Float64Array.from([...waived, ...waived.map(() => 0)]));
    await documents().updateOne({ _id: operator }, { $unset: { findings: 1, waived: 1 } });
  });

  it('are read with the totals of platforms where they are asked for', async () => {
    const [first = 0, second = 0, third = 0] = stored.map(({ operator }) => operator);
    const own = Float64Array.from({ length: 2 * PLATFORM_NUMBERS }, () => random.next());
    await documents().updateOne({ _id: first }, { $set: { platform_totals: toBinary(new Float64Array(0)) } });
    await documents().updateOne({ _id: second }, { $set: { platform_totals: toBinary(own) } });
    const batch = await stores.operators.platformTotalsBetween(first, third + 1);
    expect([...batch.platformTotals]).to.deep.equal([[1, own]]);
    expect(rowsOf(batch)).to.deep.equal(rowsOf(await stores.operators.totalsBetween(first, third + 1)));
    expect([...(await stores.operators.totalsOf([second])).platformTotals]).to.deep.equal([]);
    await documents().updateOne({ _id: third }, { $set: { platform_totals: toBinary(own.slice(1)) } });
    const found = await stores.operators.platformTotalsBetween(first, third + 1).catch((error: unknown) => error);
    expect(String(found)).to.include("totals of an operator's platforms");
    await documents().updateMany({}, { $unset: { platform_totals: 1 } });
  });

  it('are refused for a record of another shape', async () => {
    const record = recordOf({ operator: 2_000_000, listed: true, totals: stored[0]!.totals });
    const { listed: _, ...unlisted } = record;
    const odd = [
      { ...record, totals: new mongo.Binary(Buffer.alloc(16)) },
      { ...record, waived: new mongo.Binary(Buffer.alloc(16)) },
      { ...record, listed: 1 },
      { ...record, totals: [1, 2] },
      unlisted,
    ];
    for (const document of odd) {
      await documents().insertOne(document);
      const found = await stores.operators.totalsBetween(2_000_000, 2_000_001).catch((error: unknown) => error);
      expect(found).to.be.an('error');
      await documents().deleteOne({ _id: 2_000_000 });
    }
  });

  it('are refused for more operators than one reply holds', async () => {
    const found = await stores.operators.totalsBetween(0, 1_000_000).catch((error: unknown) => error);
    expect(found).to.be.instanceOf(RangeError);
  });
});
