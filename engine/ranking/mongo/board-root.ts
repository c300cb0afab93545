import type { Collections } from './collections.ts';
import type { RootDocument } from './documents.ts';
import { DURABLE } from './durability.ts';
import { isDuplicateKey } from './store-errors.ts';
import { randomName } from './unique-id.ts';

export type RootChange = Partial<Omit<RootDocument, '_id' | 'version' | 'stamp'>>;

/** The one root document. Every change is a compare-and-set on its version and stamp. */
export function createBoardRoots({ roots }: Collections) {
  return {
    /** Null before the first board of an installation. */
    async read(): Promise<RootDocument | null> {
      return roots.findOne({ _id: 'root' });
    },

    /** The stamp alone: what a reader asks while nothing happens. Null before the first board. */
    async stamp(): Promise<string | null> {
      const root = await roots.findOne({ _id: 'root' }, { projection: { stamp: 1 } });
      return root === null ? null : root.stamp;
    },

    /** The hour the board's totals are true for; 0 before the first board. */
    async hour(): Promise<number> {
      const root = await roots.findOne({ _id: 'root' }, { projection: { hour: 1 } });
      return root === null ? 0 : root.hour;
    },

    /** Publishes the first root; false when there is one already. */
    async create(root: RootDocument): Promise<boolean> {
      try {
        await roots.insertOne(root, DURABLE);
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },

    /** Publishes the next version if `from` is still the current one; null when it is not. */
    async advance(from: RootDocument, change: RootChange): Promise<RootDocument | null> {
      const next = { ...change, version: from.version + 1, stamp: randomName() };
      const filter = { _id: 'root', version: from.version, stamp: from.stamp } as const;
      const { matchedCount } = await roots.updateOne(filter, { $set: next }, DURABLE);
      return matchedCount === 1 ? { ...from, ...next } : null;
    },
  };
}
