import { isDeepStrictEqual } from 'node:util';
import type { mongo } from 'mongoose';
import { DURABLE } from '../../mongo/index.ts';
import { IDENTICAL_PRINTS } from '../core/series-sketch.ts';
import { pagesOf, singleBatch } from './find.ts';

/** How an operator's counts grew: see `seriesSketch`. `_id` is the operator number. */
export interface SketchDocument {
  _id: number;
  prints: number[];
  /** Set while the operator is to be compared: its prints changed, or what it was compared with. */
  matched?: true;
  /** How often it was marked. */
  marks: number;
  /** The operators with identical series that were received earlier. */
  rivals?: number[];
  /** The operators whose series it may share: a moderator cleared that. */
  cleared?: number[];
}

const MARKED = { $set: { matched: true }, $inc: { marks: 1 } } as const;

/** Sketches of series, found by what they share. Every write can be repeated. */
export function createSeriesSketches(db: mongo.Db) {
  const sketches = db.collection<SketchDocument>('series_sketches');

  const mark = (filter: mongo.Filter<SketchDocument>) => sketches.updateMany(filter, MARKED);

  return {
    /** Stores prints that changed, and marks their operators and those that are copies of them. Too few for a match are not stored. */
    async write(prints: ReadonlyMap<number, readonly number[]>): Promise<void> {
      const options = { projection: { prints: 1 }, ...singleBatch([...prints.keys()]) };
      const found = await sketches.find({ _id: { $in: [...prints.keys()] } }, options).toArray();
      const stored = new Map(found.map((sketch) => [sketch._id, sketch.prints]));
      const writes = [...prints].flatMap(([_id, own]) => {
        const kept = own.length < IDENTICAL_PRINTS ? [] : [...own];
        if (isDeepStrictEqual(kept, stored.get(_id) ?? [])) return [];
        const update = { ...MARKED, $set: { prints: kept, matched: true as const } };
        return [{ updateOne: { filter: { _id }, update, upsert: kept.length > 0 } }];
      });
      if (writes.length === 0) return;
      await mark({ rivals: { $in: writes.map(({ updateOne }) => updateOne.filter._id) } });
      await sketches.bulkWrite(writes, { ordered: false });
    },

    /** The sketches with any of the prints, by number. */
    sharing: (prints: readonly number[]): Promise<SketchDocument[]> =>
      sketches.find({ prints: { $in: [...prints] } }, { sort: { _id: 1 } }).toArray(),

    mark: (operators: readonly number[]) => mark({ _id: { $in: [...operators] } }),

    /** Stores of whom the operators of sketches are copies. */
    async writeRivals(read: readonly SketchDocument[], rivals: ReadonlyMap<number, readonly number[]>): Promise<void> {
      const writes = read.flatMap(({ _id, rivals: former = [] }) => {
        const own = rivals.get(_id) ?? [];
        if (isDeepStrictEqual(own, former)) return [];
        return [{ updateOne: { filter: { _id }, update: { $set: { rivals: [...own] } } } }];
      });
      if (writes.length > 0) await sketches.bulkWrite(writes, { ordered: false });
    },

    /** Of whom an operator is a copy. */
    async rivalsOf(operator: number): Promise<readonly number[]> {
      return (await sketches.findOne({ _id: operator }))?.rivals ?? [];
    },

    /** Stores whose series an operator may share. Whether it is a copy of somebody else. */
    async clear(operator: number, cleared: readonly number[]): Promise<boolean> {
      const update = { ...MARKED, $set: { cleared: [...cleared], matched: true as const } };
      const found = await sketches.findOneAndUpdate({ _id: operator }, update);
      return found?.rivals?.some((rival) => !cleared.includes(rival)) === true;
    },

    /** Removes the marks of sketches, except where one was marked again since it was read. */
    async unmark(read: readonly SketchDocument[]): Promise<void> {
      const asRead = read.map(({ _id, marks }) => ({ _id, marks }));
      if (asRead.length > 0) await sketches.updateMany({ $or: asRead }, { $unset: { matched: true } });
    },

    /** The marked sketches, in pages of `limit`. */
    marked: (limit: number) =>
      pagesOf<SketchDocument>(limit, (last) =>
        sketches.find({ matched: true, _id: { $gt: last?._id ?? 0 } }, { sort: { _id: 1 }, limit }).toArray(),
      ),

    /** Marks its copies, then deletes an operator's sketch. */
    async erase(operator: number): Promise<void> {
      await mark({ rivals: operator });
      await sketches.deleteOne({ _id: operator }, DURABLE);
    },
  };
}
