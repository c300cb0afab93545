import type { mongo } from 'mongoose';
import type { Collections } from './collections.ts';
import { readTotals, type TotalsBatch } from './totals-batch.ts';

/** Operators per read: their totals fit into one reply with ample room. */
const MAX_OPERATORS = 20_000;

/** Reads of window totals of many operators. */
export function createOperatorTotals({ operators }: Pick<Collections, 'operators'>) {
  /** Sends the raw command: a cursor would create an object per record. */
  async function find(filter: mongo.Document, most: number): Promise<TotalsBatch> {
    if (most > MAX_OPERATORS) throw new RangeError(`${most} operators are too many for one read`);
    const reply = await operators.db.command(
      {
        find: operators.collectionName,
        filter,
        projection: { listed: 1, totals: 1 },
        sort: { _id: 1 },
        batchSize: most + 1,
        singleBatch: true,
      },
      { raw: true },
    );
    const cursor: unknown = reply['cursor'];
    if (!(cursor instanceof Uint8Array)) throw new Error('MongoDB returned no cursor for a find');
    return readTotals(cursor, most);
  }

  return {
    /** Operators with numbers in [from, until), in order of number. */
    totalsBetween: (from: number, until: number) => find({ _id: { $gte: from, $lt: until } }, until - from),

    /** The operators that exist, in order of number. */
    totalsOf: (numbers: readonly number[]) => find({ _id: { $in: [...numbers] } }, numbers.length),
  };
}
