import type { mongo } from 'mongoose';
import { DURABLE, insertUnlessTaken } from '../../mongo/index.ts';
import { bytesOf, toBinary } from './binary.ts';
import { idsIn } from './find.ts';

/** A version of a part: the SHA-256 of its file, and packed 32-bit numbers of operators by line, 0 where the line is blank. */
interface StoredPart {
  sha256: string;
  operators: mongo.Binary;
}

/** Whose the lines of a part of the archive are: for erasures alone. `_id` is the part's file. */
export interface ArchivePartDocument {
  _id: string;
  /** When the lines are deleted. */
  until: Date;
  published?: StoredPart;
  /** What a link publishes, once it is stored. */
  staged?: StoredPart;
}

/** The end of the archive's chain, and whose its lines are. */
export function createArchiveLines(db: mongo.Db) {
  const heads = db.collection<{ _id: 'head'; jws: string | null }>('archive_heads');
  const parts = db.collection<ArchivePartDocument>('archive_lines');

  return {
    /** The last link, whose files may not be in their places yet; null before the first. */
    head: async (): Promise<string | null> => (await heads.findOne({ _id: 'head' }))?.jws ?? null,

    /** False when another process has stored another link since. */
    setHead: (former: string | null, jws: string | null): Promise<boolean> =>
      insertUnlessTaken(() =>
        heads.updateOne({ _id: 'head', jws: former }, { $set: { jws } }, { upsert: true, ...DURABLE }),
      ),

    async stage(file: string, sha256: string, operators: Uint32Array, until: Date): Promise<void> {
      const staged = { sha256, operators: toBinary(operators) };
      await parts.updateOne({ _id: file }, { $set: { staged, until } }, { upsert: true, ...DURABLE });
    },

    /** Safe to repeat. */
    async publish(file: string, sha256: string): Promise<void> {
      const stages = [{ $set: { published: '$staged' } }, { $unset: 'staged' }];
      await parts.updateOne({ _id: file, 'staged.sha256': sha256 }, stages, DURABLE);
    },

    /** The files with published lines, in order. */
    published: (): Promise<string[]> => idsIn(parts, { published: { $exists: true } }, { sort: { _id: 1 } }),

    /** Null when it was deleted meanwhile. */
    async part(file: string) {
      const found = await parts.findOne({ _id: file });
      if (found?.published === undefined) return null;
      const { sha256, operators } = found.published;
      return { until: found.until, sha256, operators: new Uint32Array(new Uint8Array(bytesOf(operators)).buffer) };
    },

    /** The files whose lines are to be deleted. */
    filesBefore: (now: Date): Promise<string[]> => idsIn(parts, { until: { $lt: now } }),

    async remove(files: readonly string[]): Promise<void> {
      await parts.deleteMany({ _id: { $in: [...files] } }, DURABLE);
    },
  };
}
