import { isDeepStrictEqual } from 'node:util';
import type { mongo } from 'mongoose';
import { DURABLE } from '../../mongo/index.ts';
import { IDENTICAL_PRINTS } from '../core/series-sketch.ts';
import { pagesOf, singleBatch } from './find.ts';

/** How an operator's counts grew: see `seriesSketch`. `_id` is the operator number. */
export interface SketchDocument {
  _id: number;
  prints: number[];
  /** Set while the operator is to be compared: its prints changed, or its series is identical with another operator's. */
  matched?: true;
  /** How often it was marked. */
  marks: number;
}

/** Sketches of series, found by what they share. Every write can be repeated. */
export function createSeriesSketches(db: mongo.Db) {
  const sketches = db.collection<SketchDocument>('series_sketches');

  return {
    /** Stores prints that changed, and marks their operators. Too few for a match are not stored. */
    async write(prints: ReadonlyMap<number, readonly number[]>): Promise<void> {
      const options = { projection: { prints: 1 }, ...singleBatch([...prints.keys()]) };
      const found = await sketches.find({ _id: { $in: [...prints.keys()] } }, options).toArray();
      const stored = new Map(found.map((sketch) => [sketch._id, sketch.prints]));
      const writes = [...prints].flatMap(([_id, own]) => {
        const kept = own.length < IDENTICAL_PRINTS ? [] : [...own];
        if (isDeepStrictEqual(kept, stored.get(_id) ?? [])) return [];
        const update = { $set: { prints: kept, matched: true as const }, $inc: { marks: 1 } };
        return [{ updateOne: { filter: { _id }, update, upsert: kept.length > 0 } }];
      });
      if (writes.length > 0) await sketches.bulkWrite(writes, { ordered: false });
    },

    /** The sketches with any of the prints. */
    sharing: (prints: readonly number[]): AsyncIterable<SketchDocument> =>
      sketches.find({ prints: { $in: [...prints] } }),

    async mark(operators: readonly number[]): Promise<void> {
      await sketches.updateMany({ _id: { $in: [...operators] } }, { $set: { matched: true }, $inc: { marks: 1 } });
    },

    /** Removes the marks of sketches, except where one was marked again since it was read. */
    async unmark(read: readonly SketchDocument[]): Promise<void> {
      const asRead = read.map(({ _id, marks }) => ({ _id, marks }));
      await sketches.updateMany({ $or: asRead }, { $unset: { matched: true } });
    },

    /** The marked sketches, in pages of `limit`. */
    marked: (limit: number) =>
      pagesOf<SketchDocument>(limit, (last) =>
        sketches.find({ matched: true, _id: { $gt: last?._id ?? 0 } }, { sort: { _id: 1 }, limit }).toArray(),
      ),

    async erase(operator: number): Promise<void> {
      await sketches.deleteOne({ _id: operator }, DURABLE);
    },
  };
}
