import type { mongo } from 'mongoose';
import type { Collections } from './collections.ts';
import { readTotals, type TotalsBatch } from './totals-batch.ts';

/** Operators of one read at most: their totals fit one reply many times over. */
const MAX_OPERATORS = 20_000;

/** Reads of many operators that need nothing but their totals. */
export function createOperatorTotals({ operators }: Pick<Collections, 'operators'>) {
  /** Finds by a command of its own: a cursor would make objects of the records, which here come as bytes. */
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
    if (!(cursor instanceof Uint8Array)) throw new Error('MongoDB answered a find without a cursor');
    return readTotals(cursor, most);
  }

  return {
    /** The operators numbered from `from` to below `until`, in the order of their numbers. */
    totalsBetween: (from: number, until: number) => find({ _id: { $gte: from, $lt: until } }, until - from),

    /** Those of the operators that exist, in the order of their numbers. */
    totalsOf: (numbers: readonly number[]) => find({ _id: { $in: [...numbers] } }, numbers.length),
  };
}
