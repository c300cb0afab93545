import type { mongo } from 'mongoose';

/** An operator's held rows under a methodology. `_id` is `methodology/operator`. */
interface HeldRowDocument {
  _id: string;
  methodology: number;
  operator: number;
  /** Of each window (WINDOWS) the Yield of a held row, and null without one. */
  yields: (number | null)[];
}

/** Held rows, found by Yield: derived from the records, and written whenever they are scored. */
export function createHeldRows(db: mongo.Db) {
  const rows = db.collection<HeldRowDocument>('held_rows');

  return {
    /**
     * Stores the held Yields of operators (NaN where a window has none), and removes the rows of the others of them. Returns whether a row
     * changed.
     */
    async replace(methodology: number, held: ReadonlyMap<number, Float64Array | null>): Promise<boolean> {
      let changed = 0;
      const without = [...held].flatMap(([operator, yields]) => (yields === null ? operator : []));
      if (without.length > 0) {
        changed += (await rows.deleteMany({ methodology, operator: { $in: without } })).deletedCount;
      }
      const writes = [...held].flatMap(([operator, yields]) => {
        if (yields === null) return [];
        const filter = { _id: `${methodology}/${operator}` };
        const $set = { methodology, operator, yields: Array.from(yields, (each) => (each >= 0 ? each : null)) };
        return [{ updateOne: { filter, update: { $set }, upsert: true } }];
      });
      if (writes.length > 0) {
        const { modifiedCount, upsertedCount } = await rows.bulkWrite(writes, { ordered: false });
        changed += modifiedCount + upsertedCount;
      }
      return changed > 0;
    },

    /** The stored Yields of operators that have held rows. */
    async of(
      methodology: number,
      operators: readonly number[],
    ): Promise<ReadonlyMap<number, readonly (number | null)[]>> {
      const found = await rows.find({ methodology, operator: { $in: [...operators] } }).toArray();
      return new Map(found.map(({ operator, yields }) => [operator, yields]));
    },

    /** Removes an operator's rows under every methodology. */
    async erase(operator: number): Promise<void> {
      await rows.deleteMany({ operator });
    },

    /** Removes the rows of operators with numbers in [from, until). */
    async removeBetween(methodology: number, from: number, until: number): Promise<void> {
      await rows.deleteMany({ methodology, operator: { $gte: from, $lt: until } });
    },

    /** The operators with the highest held Yields of a window, at most `limit`. */
    async highest(methodology: number, window: number, limit: number): Promise<number[]> {
      const field = `yields.${window}`;
      const found = rows.find({ methodology, [field]: { $gte: 0 } }).sort({ [field]: -1, operator: 1 });
      return (await found.limit(limit).toArray()).map(({ operator }) => operator);
    },

    count: (methodology: number, window: number): Promise<number> =>
      rows.countDocuments({ methodology, [`yields.${window}`]: { $gte: 0 } }),
  };
}
