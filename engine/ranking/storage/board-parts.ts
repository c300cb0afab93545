import { createBaseRuns } from './base-runs.ts';
import { createBoardChanges } from './board-changes.ts';
import type { Collections } from './collections.ts';
import { DURABLE } from './durability.ts';

const idsOf = (documents: readonly { _id: string }[]): string[] => documents.map(({ _id }) => _id);

export type BoardParts = ReturnType<typeof createBoardParts>;

/**
 * The immutable parts that manifests refer to. Reading a deleted part returns null; the reader then restarts at the newest
 * manifest.
 */
export function createBoardParts(collections: Collections) {
  const { bases, pages, segments, topEntries } = collections;
  return {
    ...createBaseRuns(collections),
    ...createBoardChanges(collections),

    /** Ids of parts created before a time, by kind. */
    async createdBefore(at: Date): Promise<{ bases: string[]; segments: string[]; topEntries: string[] }> {
      const older = { filter: { created_at: { $lt: at } }, options: { projection: { _id: 1 } } } as const;
      return {
        bases: idsOf(await bases.find(older.filter, older.options).toArray()),
        segments: idsOf(await segments.find(older.filter, older.options).toArray()),
        topEntries: idsOf(await topEntries.find(older.filter, older.options).toArray()),
      };
    },

    /**
     * Ids of deleted base runs that still have pages. Pages are written after their base run, so the writer of these stalled
     * while garbage collection deleted it, and can never publish them.
     */
    async missingBases(): Promise<string[]> {
      const named: string[] = await pages.distinct('base');
      const kept = new Set(idsOf(await bases.find({ _id: { $in: named } }, { projection: { _id: 1 } }).toArray()));
      return named.filter((id) => !kept.has(id));
    },

    /**
     * Removes the pages of base runs. Call before `removeBases`: pages without a base run are found only by `missingBases`.
     * Journaled, because a store that crashes between the two calls must not keep the pages and lose the base run.
     */
    async removePages(ofBases: readonly string[]): Promise<void> {
      for (const base of ofBases) await pages.deleteMany({ base }, DURABLE);
    },

    async removeBases(ids: readonly string[]): Promise<void> {
      await bases.deleteMany({ _id: { $in: [...ids] } }, DURABLE);
    },

    async removeSegments(ids: readonly string[]): Promise<void> {
      await segments.deleteMany({ _id: { $in: [...ids] } }, DURABLE);
    },

    async removeTopEntries(ids: readonly string[]): Promise<void> {
      await topEntries.deleteMany({ _id: { $in: [...ids] } }, DURABLE);
    },
  };
}
