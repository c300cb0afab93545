import { statSync } from 'node:fs';
import { reasonOf } from '../cli-error.ts';
import type { SkipReason, Source, Unreadable, UsageRecord } from '../sources/source.ts';
import { type FileEntry, skipCounts, type UsageStore } from '../store/usage-file.ts';
import { hashKeys, requestNumber } from '../store/usage-table.ts';

/** A file that changed this shortly before it was read may change again without its time showing it, in milliseconds. */
const RACY_MS = 2_000;

/** A fingerprint that no file has: it is read anew next time. */
const UNSURE = '';

/** What a scan works on. */
export interface ScanContext {
  readonly store: UsageStore;
  /** From `fileName` to the file's number in the store. */
  readonly numbers: Map<string, number>;
  readonly now: () => number;
  readonly progress: ScanProgress;
}

/** How a file is looked up: two sources may read the same file. */
export function fileName(platform: string, path: string): string {
  return `${platform} ${path}`;
}

/** Is told how far a scan is. */
export interface ScanProgress {
  /** A file was dealt with: read, or known from before. */
  file(bytes: number): void | Promise<void>;
}

/** What became of a source's files. */
export interface FilesScan {
  /** Numbers of the files that are there, in the store's list. */
  readonly present: ReadonlySet<number>;
  readonly changed: number;
  readonly unreadable: readonly Unreadable[];
}

/** Reads into the store those of a source's files that it does not know as they are now. */
export async function scanFiles(
  source: Source,
  files: readonly LookedAt[],
  { store, numbers, now, progress }: ScanContext,
): Promise<FilesScan> {
  const present = new Set<number>();
  const unreadable: Unreadable[] = [];
  let changed = 0;
  for (const { path, fingerprint, bytes, modified } of files) {
    try {
      const name = fileName(source.platform, path);
      const known = numbers.get(name);
      const entry = known === undefined ? undefined : store.files[known];
      if (known !== undefined && entry?.fingerprint === fingerprint && entry.version === source.version) {
        present.add(known);
        await progress.file(bytes);
        continue;
      }
      const number = known ?? store.files.length;
      const racy = now() - modified < RACY_MS;
      const blank = { path, platform: source.platform, version: source.version, fingerprint: UNSURE, bytes };
      // Listed before it is read: rows of a file that breaks off half-way refer to it as well.
      store.files[number] = { ...blank, records: 0, skipped: skipCounts(() => 0) };
      numbers.set(name, number);
      const reading = await readInto(source, path, store, number, modified);
      store.files[number] = { ...blank, ...reading, fingerprint: racy ? UNSURE : fingerprint };
      present.add(number);
      changed += 1;
      await progress.file(bytes);
    } catch (error) {
      unreadable.push({ path, reason: reasonOf(error) });
    }
  }
  return { present, changed, unreadable };
}

/** A file as it is now, by which a change is told. */
export interface LookedAt {
  readonly path: string;
  readonly fingerprint: string;
  /** Of the file and its companions. */
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
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
  return { path, fingerprint: parts.join('|'), bytes, modified };
}

async function readInto(
  source: Source,
  path: string,
  store: UsageStore,
  file: number,
  modified: number,
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
        file,
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
