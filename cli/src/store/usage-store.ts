import type { SkipReason } from '../sources/source.ts';
import { UsageTable } from './usage-table.ts';

/** What is known of a file that was read: enough to tell that it has not changed, and to report it without reading it again. */
export interface FileEntry {
  readonly path: string;
  readonly platform: string;
  /** The source's version that read it. */
  readonly version: number;
  /** Size, time and inode of the file and its companions. */
  readonly fingerprint: string;
  readonly bytes: number;
  readonly records: number;
  readonly skipped: Readonly<Record<SkipReason, number>>;
}

/** Everything that was ever counted on this machine, and the files it came from. */
export interface UsageStore {
  readonly epoch: number;
  readonly table: UsageTable;
  /** By number; rows refer to it. Files that are gone stay listed. */
  readonly files: FileEntry[];
  /** By number; rows refer to it. */
  readonly platforms: string[];
}

export function emptyStore(epoch: number): UsageStore {
  return { epoch, table: new UsageTable(), files: [], platforms: [] };
}

/** A number for each reason to skip. */
export function skipCounts(of: (reason: SkipReason, index: number) => number): Record<SkipReason, number> {
  return {
    not_json: of('not_json', 0),
    truncated: of('truncated', 1),
    too_long: of('too_long', 2),
    invalid_counts: of('invalid_counts', 3),
    no_identity: of('no_identity', 4),
    synthetic: of('synthetic', 5),
  };
}

/** How a file is looked up: two sources may read the same file. */
export function fileName(platform: string, path: string): string {
  return `${platform} ${path}`;
}

/** From `fileName` to the file's number in the store. */
export function fileNumbers(files: readonly FileEntry[]): Map<string, number> {
  return new Map(files.map((file, number) => [fileName(file.platform, file.path), number]));
}
