import { reasonOf } from '../cli-error.ts';
import type { SkipReason, Source, UsageRecord } from '../sources/source.ts';
import { type FileEntry, fileName, skipCounts, type UsageStore } from '../store/usage-store.ts';
import { hashKeys, requestNumber } from '../store/usage-table.ts';

/** A file that changed this shortly before it was read may change again without its time showing it, in milliseconds. */
const RACY_MS = 2_000;

/** A fingerprint that no file has: it is read anew next time. */
const UNSURE = '';

/** What a scan works on. */
export interface ScanContext {
  readonly store: UsageStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly progress: ScanProgress;
  /** Threads to read with, where it is worth it. */
  readonly workers: number;
}

/** Is told how far a scan is. */
export interface ScanProgress {
  /** So many bytes more were dealt with: read, or known from before. */
  done(bytes: number): void | Promise<void>;
}

/** A file as it is now, by which a change is told, and the source that reads it. */
export interface LookedAt {
  readonly source: Source;
  readonly path: string;
  readonly fingerprint: string;
  /** Of the file and its companions. */
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

/** What became of a file: known as it is, or read now, under this number in the store; or what the system said. */
export type FileOutcome =
  | { readonly kind: 'known' | 'read'; readonly number: number }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Reads one file into the store. `now` is a moment before the reading, in milliseconds since the epoch. */
export async function readInto(
  store: UsageStore,
  numbers: Map<string, number>,
  file: LookedAt,
  now: number,
): Promise<FileOutcome> {
  const { source, path, fingerprint, bytes, modified } = file;
  const name = fileName(source.platform, path);
  const number = numbers.get(name) ?? store.files.length;
  const blank = { path, platform: source.platform, version: source.version, fingerprint: UNSURE, bytes };
  // Listed before it is read: rows of a file that breaks off half-way refer to it as well.
  store.files[number] = { ...blank, records: 0, skipped: skipCounts(() => 0) };
  numbers.set(name, number);
  try {
    const reading = await readRecords(store, number, file);
    store.files[number] = { ...blank, ...reading, fingerprint: now - modified < RACY_MS ? UNSURE : fingerprint };
    return { kind: 'read', number };
  } catch (error) {
    return { kind: 'unreadable', reason: reasonOf(error) };
  }
}

async function readRecords(
  store: UsageStore,
  number: number,
  { source, path, modified }: LookedAt,
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
        // A record that does not say when was there at the latest when its file was last written.
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
