import { createBoardBases } from './board-bases.ts';
import { createBoardChanges } from './board-changes.ts';
import type { Collections } from './collections.ts';

const idsOf = (documents: readonly { _id: string }[]): string[] => documents.map(({ _id }) => _id);

export type BoardParts = ReturnType<typeof createBoardParts>;

/** The immutable parts that roots refer to. A part that is gone is null: its reader starts again at the newest root. */
export function createBoardParts(collections: Collections) {
  const { bases, pages, segments, tops } = collections;
  return {
    ...createBoardBases(collections),
    ...createBoardChanges(collections),

    /** Names of parts made before a moment, of each kind. */
    async madeBefore(at: Date): Promise<{ bases: string[]; segments: string[]; tops: string[] }> {
      const older = { filter: { created_at: { $lt: at } }, options: { projection: { _id: 1 } } } as const;
      return {
        bases: idsOf(await bases.find(older.filter, older.options).toArray()),
        segments: idsOf(await segments.find(older.filter, older.options).toArray()),
        tops: idsOf(await tops.find(older.filter, older.options).toArray()),
      };
    },

    async remove(parts: {
      bases: readonly string[];
      segments: readonly string[];
      tops: readonly string[];
    }): Promise<void> {
      for (const base of parts.bases) await pages.deleteMany({ base });
      await bases.deleteMany({ _id: { $in: [...parts.bases] } });
      await segments.deleteMany({ _id: { $in: [...parts.segments] } });
      await tops.deleteMany({ _id: { $in: [...parts.tops] } });
    },
  };
}
