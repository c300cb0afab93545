import { type FileEntry, skipCounts } from '../store/buckets.ts';
import type { HashedRecord } from '../store/usage.ts';
import type { UsageStore } from '../store/usage-store.ts';
import { type LogFile, type ReadResult, readLogFile } from './read-log-file.ts';

/** A file modified this shortly before it was read may change again within its timestamp's resolution, in milliseconds. */
const RACY_MS = 2_000;

/** A fingerprint that no file has, so that the next scan reads the file again. */
const NO_FINGERPRINT = '';

/** Records that are added to the store at a time. */
const MAX_RECORDS = 2_000;

export interface ScanContext {
  readonly store: UsageStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Adds to the bytes that are done: read, or unchanged since the last scan. */
  readonly progress: (bytes: number) => void;
  /** Called between files: gives the event loop a turn when one is due. */
  readonly giveTurn?: () => void | Promise<void>;
  /** Whether a scan worker may read. */
  readonly isParallel: boolean;
}

/** The outcome for a file: unchanged or read, with its entry in the store; or the system's error. */
export type FileOutcome =
  | { readonly kind: 'known' | 'read'; readonly entry: FileEntry }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Enters a file before its records, which refer to it, also when its reading fails half-way. */
export function beginFile(store: UsageStore, { path, bytes, source }: LogFile): FileEntry {
  const { platform, version } = source;
  return store.enter({
    path,
    platform,
    version,
    fingerprint: NO_FINGERPRINT,
    bytes,
    records: 0,
    skipped: skipCounts(),
  });
}

/** Completes the entry of a file. `now` is a moment before the reading, in milliseconds since the epoch. */
export function endFile(
  store: UsageStore,
  { fingerprint, modified }: LogFile,
  entry: FileEntry,
  result: ReadResult,
  now: number,
): FileOutcome {
  if ('reason' in result) return { kind: 'unreadable', ...result };
  const isRacy = now - modified < RACY_MS;
  const ended = store.enter({ ...entry, ...result, fingerprint: isRacy ? NO_FINGERPRINT : fingerprint });
  store.saveWhenDue();
  return { kind: 'read', entry: ended };
}

/** Reads files into the store, one after the other. Adds the outcomes to `outcomes`. */
export async function readSequentially(
  files: readonly LogFile[],
  { store, now, progress, giveTurn }: ScanContext,
  outcomes: Map<LogFile, FileOutcome>,
): Promise<void> {
  for (const file of files) {
    const startedAt = now();
    const entry = beginFile(store, file);
    let records: HashedRecord[] = [];
    const addAll = (): void => {
      store.add(records, entry);
      records = [];
    };
    const result = await readLogFile(file, progress, (record) => {
      if (records.push(record) === MAX_RECORDS) addAll();
    });
    addAll();
    outcomes.set(file, endFile(store, file, entry, result, startedAt));
    await giveTurn?.();
  }
}
