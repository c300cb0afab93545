import { isDeepStrictEqual } from 'node:util';
import type { mongo } from 'mongoose';
import { randomId } from './unique-id.ts';

/** An operator's held rows under a methodology. `_id` is `methodology/operator`. */
export interface HeldRowDocument {
  _id: string;
  methodology: number;
  operator: number;
  /** Of each window (WINDOWS) the Yield of a held row, and null without one. */
  yields: (number | null)[];
  /** Random: another one with each write. */
  revision: string;
}

/** Which operators: a list, or a range of numbers. */
export type Operators = { readonly $in: number[] } | { readonly $gte: number; readonly $lt: number };

/**
 * Held rows, found by Yield: derived from the records, and written whenever they are scored. A held row is never missing, because a
 * writer removes only what was there before it read the record; what a slow writer leaves behind is to be ignored by readers.
 */
export function createHeldRows(db: mongo.Db) {
  const rows = db.collection<HeldRowDocument>('held_rows');

  return {
    of: (methodology: number, operators: Operators): Promise<HeldRowDocument[]> =>
      rows.find({ methodology, operator: operators }).toArray(),

    /**
     * Stores the held Yields of operators (NaN where a window has none), in place of the rows that they had before their records were
     * read. Returns whether a row came, changed or went.
     */
    async replace(
      methodology: number,
      before: readonly HeldRowDocument[],
      held: ReadonlyMap<number, Float64Array>,
    ): Promise<boolean> {
      const revision = randomId();
      const gone = before.filter(({ operator }) => !held.has(operator));
      const former = new Map(before.map(({ operator, yields }) => [operator, yields]));
      const present = Array.from(held, ([operator, own]) => {
        const yields = Array.from(own, (each) => (each >= 0 ? each : null));
        return { _id: `${methodology}/${operator}`, methodology, operator, yields, revision };
      });
      const writes = [
        ...gone.map(({ _id, revision: read }) => ({ deleteOne: { filter: { _id, revision: read } } })),
        ...present.map(({ _id, ...row }) => ({ updateOne: { filter: { _id }, update: { $set: row }, upsert: true } })),
      ];
      if (writes.length > 0) await rows.bulkWrite(writes, { ordered: false });
      return (
        gone.length > 0 || present.some(({ operator, yields }) => !isDeepStrictEqual(yields, former.get(operator)))
      );
    },

    /** Removes an operator's rows under every methodology. */
    async erase(operator: number): Promise<void> {
      await rows.deleteMany({ operator });
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
