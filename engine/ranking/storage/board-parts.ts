import type { mongo } from 'mongoose';
import { DURABLE } from '../../mongo/index.ts';
import {
  decodeSegment,
  decodeTopEntries,
  encodeSegment,
  encodeTopEntriesHeader,
  type Segment,
} from '../core/board/index.ts';
import type { BoardEntry } from '../types.ts';
import { type BaseRunDocument, createBaseRuns, type PageDocument } from './base-runs.ts';
import { bytesOf, toBinary } from './binary.ts';
import { bytesInOrder, idsIn } from './find.ts';

interface SegmentDocument {
  _id: string;
  created_at: Date;
  bytes: mongo.Binary;
}

/** A stored top entry: everything except what derives from the manifest's totals. */
export interface TopEntryDocument extends Omit<BoardEntry, 'percentile'> {
  readonly operator: number;
}

interface TopEntriesDocument {
  _id: string;
  created_at: Date;
  header: mongo.Binary;
  /**
   * JSON: the lists of those that have entries, in the order of WINDOWS. As documents, four hundred of them take MongoDB as long as
   * a hundred updates of records.
   */
  windows: string;
}

/** Ids of parts that manifests refer to, by kind. */
export interface PartIds {
  readonly bases: readonly string[];
  readonly segments: readonly string[];
  readonly topEntries: readonly string[];
}

const COLLECTIONS = { bases: 'board_base_runs', segments: 'board_segments', topEntries: 'board_top_entries' } as const;

export type BoardParts = ReturnType<typeof createBoardParts>;

/** The immutable parts of manifests. After null, for a deleted part, a reader restarts at the newest manifest. */
export function createBoardParts(db: mongo.Db) {
  const bases = db.collection<BaseRunDocument>(COLLECTIONS.bases);
  const pages = db.collection<PageDocument>('board_pages');
  const segments = db.collection<SegmentDocument>(COLLECTIONS.segments);
  const topEntries = db.collection<TopEntriesDocument>(COLLECTIONS.topEntries);
  return {
    ...createBaseRuns(bases, pages),

    ...createBoardChanges(segments, topEntries),

    /** Ids of parts created before a time, by kind. */
    async createdBefore(at: Date): Promise<PartIds> {
      const older = { created_at: { $lt: at } };
      return {
        bases: await idsIn(bases, older),
        segments: await idsIn(segments, older),
        topEntries: await idsIn(topEntries, older),
      };
    },

    /** Ids of deleted base runs with pages: their writer, stalled while they were collected, can never publish them. */
    async missingBases(): Promise<string[]> {
      const named: string[] = await pages.distinct('base');
      const kept = new Set(await idsIn(bases, { _id: { $in: named } }));
      return named.filter((id) => !kept.has(id));
    },

    /**
     * Removes the pages of base runs. Call before `remove`: pages without a base run are found only by `missingBases`.
     * Journaled, because a store that crashes between the two calls must not keep the pages and lose the base run.
     */
    async removePages(ofBases: readonly string[]): Promise<void> {
      for (const base of ofBases) await pages.deleteMany({ base }, DURABLE);
    },

    async remove(kind: keyof PartIds, ids: readonly string[]): Promise<void> {
      await db.collection<{ _id: string }>(COLLECTIONS[kind]).deleteMany({ _id: { $in: [...ids] } }, DURABLE);
    },
  };
}

/** Parts written by commits: segments and top entries. */
function createBoardChanges(
  segments: mongo.Collection<SegmentDocument>,
  topEntries: mongo.Collection<TopEntriesDocument>,
) {
  return {
    async writeSegment(id: string, segment: Segment, at: Date): Promise<void> {
      await segments.insertOne({ _id: id, created_at: at, bytes: toBinary(encodeSegment(segment)) }, DURABLE);
    },

    /** The segments in the order of `ids`; null when one is gone. */
    async segments(ids: readonly string[]): Promise<Segment[] | null> {
      if (ids.length === 0) return [];
      const found = await bytesInOrder(segments, ids);
      return found.length === ids.length ? found.map(decodeSegment) : null;
    },

    async writeTopEntries(id: string, windows: TopEntryDocument[][], at: Date): Promise<void> {
      const header = toBinary(encodeTopEntriesHeader(windows));
      const stored = JSON.stringify(windows.filter((entries) => entries.length > 0));
      await topEntries.insertOne({ _id: id, created_at: at, header, windows: stored }, DURABLE);
    },

    async topEntries(id: string): Promise<TopEntryDocument[][] | null> {
      const found = await topEntries.findOne({ _id: id });
      if (found === null) return null;
      const stored: TopEntryDocument[][] = JSON.parse(found.windows);
      return decodeTopEntries(bytesOf(found.header), stored);
    },
  };
}
