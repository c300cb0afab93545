import {
  decodeSegment,
  decodeTopEntries,
  encodeSegment,
  encodeTopEntriesHeader,
  type Segment,
} from '../core/board/index.ts';
import { bytesOf, toBinary } from './binary.ts';
import type { Collections } from './collections.ts';
import type { TopEntryDocument } from './documents.ts';
import { DURABLE } from './durability.ts';

/** Parts written by commits: segments and top entries. */
export function createBoardChanges({ segments, topEntries }: Pick<Collections, 'segments' | 'topEntries'>) {
  return {
    async writeSegment(id: string, segment: Segment, at: Date): Promise<void> {
      await segments.insertOne({ _id: id, created_at: at, bytes: toBinary(encodeSegment(segment)) }, DURABLE);
    },

    /** The segments in the order of `ids`; null when one is gone. */
    async segments(ids: readonly string[]): Promise<Segment[] | null> {
      if (ids.length === 0) return [];
      const found = await segments.find({ _id: { $in: [...ids] } }, { batchSize: ids.length + 1 }).toArray();
      const byId = new Map(found.map(({ _id, bytes }) => [_id, bytes]));
      const ordered = ids.flatMap((id) => byId.get(id) ?? []);
      return ordered.length === ids.length ? ordered.map((bytes) => decodeSegment(bytesOf(bytes))) : null;
    },

    async writeTopEntries(id: string, windows: TopEntryDocument[][], at: Date): Promise<void> {
      const header = toBinary(encodeTopEntriesHeader(windows));
      const stored = windows.filter((entries) => entries.length > 0);
      await topEntries.insertOne({ _id: id, created_at: at, header, windows: stored }, DURABLE);
    },

    async topEntries(id: string): Promise<TopEntryDocument[][] | null> {
      const found = await topEntries.findOne({ _id: id });
      return found === null ? null : decodeTopEntries(bytesOf(found.header), found.windows);
    },
  };
}
