import { createBoardBases } from './base-runs.ts';
import { createBoardChanges } from './board-changes.ts';
import type { Collections } from './collections.ts';
import { DURABLE } from './durability.ts';

const idsOf = (documents: readonly { _id: string }[]): string[] => documents.map(({ _id }) => _id);

export type BoardParts = ReturnType<typeof createBoardParts>;

/** The immutable parts that roots refer to. A part that is gone is null: its reader starts again at the newest root. */
export function createBoardParts(collections: Collections) {
  const { bases, pages, segments, topEntries } = collections;
  return {
    ...createBoardBases(collections),
    ...createBoardChanges(collections),

    /** Names of parts made before a moment, of each kind. */
    async madeBefore(at: Date): Promise<{ bases: string[]; segments: string[]; topEntries: string[] }> {
      const older = { filter: { created_at: { $lt: at } }, options: { projection: { _id: 1 } } } as const;
      return {
        bases: idsOf(await bases.find(older.filter, older.options).toArray()),
        segments: idsOf(await segments.find(older.filter, older.options).toArray()),
        topEntries: idsOf(await topEntries.find(older.filter, older.options).toArray()),
      };
    },

    /**
     * Names of bases that are gone while pages of theirs are there. Pages follow their base, so whoever wrote these slept
     * through the sweep of it and can never publish them.
     */
    async lostBases(): Promise<string[]> {
      const named: string[] = await pages.distinct('base');
      const kept = new Set(idsOf(await bases.find({ _id: { $in: named } }, { projection: { _id: 1 } }).toArray()));
      return named.filter((id) => !kept.has(id));
    },

    /**
     * Removes the pages of bases, before `removeBases`: pages without a base are found by `lostBases` alone. Journaled, or a
     * store that is killed between the two would keep the pages and forget the base.
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
