import { statSync } from 'node:fs';
import { reasonOf } from '../cli-error.ts';
import type { SkipReason, Source, UsageRecord } from '../sources/source.ts';
import { type FileEntry, skipCounts, type UsageStore } from '../store/usage-store.ts';
import { hashKeys, requestNumber } from '../store/usage-table.ts';

/** A file that changed this shortly before it was read may change again without its time showing it, in milliseconds. */
const RACY_MS = 2_000;

/** A fingerprint that no file has: it is read anew next time. */
const UNSURE = '';

/** Files are read on several threads where there is at least this much to read: a thread takes a while to begin. In bytes. */
const MIN_SHARED_BYTES = 48 * 2 ** 20;

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

/** How a file is looked up: two sources may read the same file. */
export function fileName(platform: string, path: string): string {
  return `${platform} ${path}`;
}

/** From `fileName` to the file's number in the store. */
export function fileNumbers(files: readonly FileEntry[]): Map<string, number> {
  return new Map(files.map((file, number) => [fileName(file.platform, file.path), number]));
}

/** The number under which a file is known as it is now; undefined when it is new or has changed. */
export function knownNumber(
  known: readonly FileEntry[],
  numbers: ReadonlyMap<string, number>,
  { source, path, fingerprint }: LookedAt,
): number | undefined {
  const number = numbers.get(fileName(source.platform, path));
  if (number === undefined) return undefined;
  const entry = known[number]!;
  return entry.fingerprint === fingerprint && entry.version === source.version ? number : undefined;
}

/** Reads into the store those files that it does not know as they are now. Answers in the order of the files. */
export async function scanFiles(files: readonly LookedAt[], context: ScanContext): Promise<readonly FileOutcome[]> {
  const { store, progress, workers } = context;
  const numbers = fileNumbers(store.files);
  const outcomes: FileOutcome[] = [];
  const news: number[] = [];
  let known = 0;
  let bytes = 0;
  for (const [index, file] of files.entries()) {
    const number = knownNumber(store.files, numbers, file);
    if (number === undefined) {
      news.push(index);
      bytes += file.bytes;
    } else {
      outcomes[index] = { kind: 'known', number };
      known += file.bytes;
    }
  }
  // Told together: waiting a moment for each would take longer than all that is left to do.
  await progress.done(known);
  const unread = news.map((index) => files[index]!);
  const isShared = workers > 1 && unread.length > 1 && bytes >= MIN_SHARED_BYTES;
  const read = isShared
    ? await (await import('./read-in-workers.ts')).readInWorkers(unread, context)
    : await readInTurn(unread, numbers, context);
  for (const [at, index] of news.entries()) outcomes[index] = read[at]!;
  return outcomes;
}

async function readInTurn(
  files: readonly LookedAt[],
  numbers: Map<string, number>,
  { store, now, progress }: ScanContext,
): Promise<readonly FileOutcome[]> {
  const outcomes: FileOutcome[] = [];
  for (const file of files) {
    outcomes.push(await readInto(store, numbers, file, now()));
    await progress.done(file.bytes);
  }
  return outcomes;
}

/** Looks at a file and its companions without opening them; null when it is gone. Throws what the system throws. */
export function lookAt(source: Source, path: string): LookedAt | null {
  const main = statSync(path, { throwIfNoEntry: false });
  if (main === undefined) return null;
  const parts = [`${main.size}:${main.mtimeMs}:${main.ino}`];
  let bytes = main.size;
  let modified = main.mtimeMs;
  for (const companion of source.companions?.(path) ?? []) {
    const beside = statSync(companion, { throwIfNoEntry: false });
    parts.push(beside === undefined ? '-' : `${beside.size}:${beside.mtimeMs}:${beside.ino}`);
    bytes += beside?.size ?? 0;
    modified = Math.max(modified, beside?.mtimeMs ?? 0);
  }
  return { source, path, fingerprint: parts.join('|'), bytes, modified };
}

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
