import type { Collections } from './collections.ts';
import type { ManifestDocument } from './documents.ts';
import { DURABLE } from './durability.ts';
import { isDuplicateKey } from './store-errors.ts';
import { randomId } from './unique-id.ts';

export type ManifestChange = Partial<Omit<ManifestDocument, '_id' | 'version' | 'generation'>>;

/** The manifest document. Every change is a compare-and-set on its version and generation. */
export function createBoardManifest({ manifests }: Collections) {
  return {
    /** Null before the first board. */
    async read(): Promise<ManifestDocument | null> {
      return manifests.findOne({ _id: 'manifest' });
    },

    /** Only the generation, which readers poll. Null before the first board. */
    async generation(): Promise<string | null> {
      const manifest = await manifests.findOne({ _id: 'manifest' }, { projection: { generation: 1 } });
      return manifest === null ? null : manifest.generation;
    },

    /** The hour for which the board's totals hold; 0 before the first board. */
    async hour(): Promise<number> {
      const manifest = await manifests.findOne({ _id: 'manifest' }, { projection: { hour: 1 } });
      return manifest === null ? 0 : manifest.hour;
    },

    /** Publishes the first manifest; false when one exists. */
    async create(manifest: ManifestDocument): Promise<boolean> {
      try {
        await manifests.insertOne(manifest, DURABLE);
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },

    /** Publishes the next version if `from` is still current; null when it is not. */
    async advance(from: ManifestDocument, change: ManifestChange): Promise<ManifestDocument | null> {
      const next = { ...change, version: from.version + 1, generation: randomId() };
      const filter = { _id: 'manifest', version: from.version, generation: from.generation } as const;
      const { matchedCount } = await manifests.updateOne(filter, { $set: next }, DURABLE);
      return matchedCount === 1 ? { ...from, ...next } : null;
    },
  };
}
