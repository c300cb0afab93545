import type { mongo } from 'mongoose';
import { DURABLE } from '../../mongo/index.ts';
import { bytesOf, toBinary } from './binary.ts';
import { idsIn } from './find.ts';

/** Whose the lines of a part of the archive are: for erasures alone. `_id` is the part's file. */
export interface ArchivePartDocument {
  _id: string;
  /** When the lines are deleted. */
  until: Date;
  /** Of the file. */
  sha256: string;
  /** Packed 32-bit numbers of operators by line; 0 where the line was blanked. */
  operators: mongo.Binary;
}

/** The end of the archive's chain. `day` is the last one that was archived; null before the first. */
export interface ArchiveHead {
  first: number;
  link: number;
  sha256: string | null;
  day: string | null;
}

/** The end of the archive's chain, and whose its lines are. */
export function createArchiveLines(db: mongo.Db) {
  const heads = db.collection<ArchiveHead & { _id: 'head' }>('archive_heads');
  const parts = db.collection<ArchivePartDocument>('archive_lines');

  return {
    async head(): Promise<ArchiveHead> {
      return (await heads.findOne({ _id: 'head' })) ?? { first: 1, link: 0, sha256: null, day: null };
    },

    async setHead({ first, link, sha256, day }: ArchiveHead): Promise<void> {
      await heads.updateOne({ _id: 'head' }, { $set: { first, link, sha256, day } }, { upsert: true, ...DURABLE });
    },

    async put(file: string, sha256: string, operators: Uint32Array, until: Date): Promise<void> {
      const document = { until, sha256, operators: toBinary(operators) };
      await parts.updateOne({ _id: file }, { $set: document }, { upsert: true, ...DURABLE });
    },

    async setHash(file: string, sha256: string): Promise<void> {
      await parts.updateOne({ _id: file }, { $set: { sha256 } }, DURABLE);
    },

    /** Forgets whose the lines are that now have the number 0. */
    async forget(file: string, operators: Uint32Array): Promise<void> {
      await parts.updateOne({ _id: file }, { $set: { operators: toBinary(operators) } }, DURABLE);
    },

    /** The files after one, of days up to `day`, in order. */
    filesUntil: (day: string, after = ''): Promise<string[]> =>
      idsIn(parts, { _id: { $gt: after, $lt: `${day}0` } }, { sort: { _id: 1 } }),

    /** Null when it was deleted meanwhile. */
    async part(file: string): Promise<{ readonly sha256: string; readonly operators: Uint32Array } | null> {
      const found = await parts.findOne({ _id: file });
      if (found === null) return null;
      const operators = new Uint32Array(new Uint8Array(bytesOf(found.operators)).buffer);
      return { sha256: found.sha256, operators };
    },

    /** The files whose lines are to be deleted. */
    filesBefore: (now: Date): Promise<string[]> => idsIn(parts, { until: { $lt: now } }),

    async remove(files: readonly string[]): Promise<void> {
      await parts.deleteMany({ _id: { $in: [...files] } }, DURABLE);
    },
  };
}
