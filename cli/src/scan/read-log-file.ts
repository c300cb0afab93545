import { reasonOf } from '../cli-error.ts';
import type { SkipReason, Source, UsageRecord } from '../sources/source.ts';
import { type FileEntry, fileKey, skipCounts, type UsageStore } from '../store/usage-store.ts';
import { hashKeys, requestNumber } from '../store/usage-table.ts';

/** A file modified this shortly before it was read may change again within its timestamp's resolution, in milliseconds. */
const RACY_MS = 2_000;

/** A fingerprint that no file has, so that the next scan reads the file again. */
const NO_FINGERPRINT = '';

export interface ScanContext {
  readonly store: UsageStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly progress: ScanProgress;
  /** Maximum number of scan workers. */
  readonly workers: number;
}

export interface ScanProgress {
  /** Adds to the bytes that are done: read, or unchanged since the last scan. */
  done(bytes: number): void | Promise<void>;
}

/** The current status of a log file, to detect changes, and the source that reads it. */
export interface LogFile {
  readonly source: Source;
  readonly path: string;
  readonly fingerprint: string;
  /** Of the file and its companions. */
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

/** The outcome for a file: unchanged or read, with its number in the store; or the system's error. */
export type FileOutcome =
  | { readonly kind: 'known' | 'read'; readonly number: number }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Reads one file into the store. `now` is a moment before the reading, in milliseconds since the epoch. */
export async function readLogFile(
  store: UsageStore,
  numbers: Map<string, number>,
  file: LogFile,
  now: number,
): Promise<FileOutcome> {
  const { source, path, fingerprint, bytes, modified } = file;
  const key = fileKey(source.platform, path);
  const number = numbers.get(key) ?? store.files.length;
  const entry = { path, platform: source.platform, version: source.version, fingerprint: NO_FINGERPRINT, bytes };
  // Add the entry before reading: rows of a file whose reading fails half-way refer to it.
  store.files[number] = { ...entry, records: 0, skipped: skipCounts(() => 0) };
  numbers.set(key, number);
  try {
    const reading = await readRecords(store, number, file);
    store.files[number] = {
      ...entry,
      ...reading,
      fingerprint: now - modified < RACY_MS ? NO_FINGERPRINT : fingerprint,
    };
    return { kind: 'read', number };
  } catch (error) {
    return { kind: 'unreadable', reason: reasonOf(error) };
  }
}

async function readRecords(
  store: UsageStore,
  number: number,
  { source, path, modified }: LogFile,
): Promise<Pick<FileEntry, 'records' | 'skipped'>> {
  const platform = platformNumber(store, source.platform);
  const skipped = skipCounts(() => 0);
  let records = 0;
  await source.read(path, {
    skip: (reason: SkipReason) => {
      skipped[reason] += 1;
    },
    add: ({ keys, request, counts, at }: UsageRecord) => {
      records += 1;
      store.table.add({
        keys: hashKeys(source.platform, keys),
        request: requestNumber(request),
        counts,
        // A record without a time is at most as late as its file's last modification.
        time: Math.max(1, Math.floor((at ?? modified) / 1000)),
        file: number,
        platform,
      });
    },
  });
  return { records, skipped };
}

function platformNumber(store: UsageStore, platform: string): number {
  const known = store.platforms.indexOf(platform);
  if (known !== -1) return known;
  store.platforms.push(platform);
  return store.platforms.length - 1;
}
