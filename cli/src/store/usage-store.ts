import type { SkipReason } from '../sources/source.ts';
import { UsageTable } from './usage-table.ts';

/** A file that was read: enough to detect a change, and to report it without reading it again. */
export interface FileEntry {
  readonly path: string;
  readonly platform: string;
  /** The version of the source that read it. */
  readonly version: number;
  /** Size, time and inode of the file and its companions. */
  readonly fingerprint: string;
  readonly bytes: number;
  readonly records: number;
  readonly skipped: Readonly<Record<SkipReason, number>>;
}

/** In place of the version of a source: the file is another tool's report, whose counts were imported. */
export const IMPORT_VERSION = 0;

/** Everything that was ever counted on this machine, and the files it came from. */
export interface UsageStore {
  readonly epoch: number;
  readonly table: UsageTable;
  /** By number; rows refer to it. Includes deleted files. */
  readonly files: FileEntry[];
  /** By number; rows refer to it. */
  readonly platforms: string[];
}

export function emptyStore(epoch: number): UsageStore {
  return { epoch, table: new UsageTable(), files: [], platforms: [] };
}

/** A count for each reason to skip a record, by the reason's position. */
export function skipCounts(of: (index: number) => number): Record<SkipReason, number> {
  return {
    not_json: of(0),
    truncated: of(1),
    too_long: of(2),
    invalid_counts: of(3),
    no_identity: of(4),
    synthetic: of(5),
  };
}

/** The counts of a file without skipped records, as most are. */
export const NOTHING_SKIPPED: FileEntry['skipped'] = skipCounts(() => 0);

/** The key of a file in the store. It includes the platform, because two sources may read the same file. */
export function fileKey({ platform, path }: Pick<FileEntry, 'platform' | 'path'>): string {
  return `${platform} ${path}`;
}

/** From `fileKey` to the file's number in the store. */
export function fileNumbers(files: readonly FileEntry[]): Map<string, number> {
  return new Map(files.map((file, number) => [fileKey(file), number]));
}
