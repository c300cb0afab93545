import { type Stats, statSync } from 'node:fs';
import { reasonOf } from '../cli-error.ts';
import type { Source } from '../sources/source.ts';
import { UNKNOWN_ORIGIN } from '../store/origins.ts';
import { fileKey, fileNumbers, skipCounts, type UsageStore } from '../store/usage-store.ts';
import { COPY, hashKeys, requestNumber } from '../store/usage-table.ts';

/** A file modified this shortly before it was read may change again within its timestamp's resolution, in milliseconds. */
const RACY_MS = 2_000;

/** A fingerprint that no file has, so that the next scan reads the file again. */
const NO_FINGERPRINT = '';

const WHERE_IT_EXISTS = { throwIfNoEntry: false } as const;

export interface ScanContext {
  readonly store: UsageStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Adds to the bytes that are done: read, or unchanged since the last scan. */
  readonly progress: (bytes: number) => void;
  /** Called between files: gives the event loop a turn when one is due. */
  readonly giveTurn?: () => void | Promise<void>;
  /** Maximum number of scan workers. */
  readonly workers: number;
}

/** The current status of a log file, to detect changes, and the source that reads it. */
export type LogFile = Readonly<NonNullable<ReturnType<typeof statLogFile>>>;

/** The outcome for a file: unchanged or read, with its number in the store; or the system's error. */
export type FileOutcome =
  | { readonly kind: 'known' | 'read'; readonly number: number }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Reads the status of a file and its companions; null when the file was deleted. Throws system errors. */
export function statLogFile(source: Source, path: string) {
  const main = statSync(path, WHERE_IT_EXISTS);
  if (main === undefined) return null;
  let fingerprint = fingerprintOf(main);
  /** Of the file and its companions. */
  let bytes = main.size;
  /** Milliseconds since the epoch. */
  let modified = main.mtimeMs;
  for (const companion of source.companions?.(path) ?? []) {
    const found = statSync(companion, WHERE_IT_EXISTS);
    fingerprint += `|${found === undefined ? '-' : fingerprintOf(found)}`;
    bytes += found?.size ?? 0;
    modified = Math.max(modified, found?.mtimeMs ?? 0);
  }
  return { source, path, fingerprint, bytes, modified };
}

function fingerprintOf({ size, mtimeMs, ino }: Stats): string {
  return `${size}:${mtimeMs}:${ino}`;
}

/** Reads files into the store, one after the other. Adds the outcomes to `outcomes`. */
export async function readSequentially(
  files: readonly LogFile[],
  { store, now, progress, giveTurn }: ScanContext,
  outcomes: Map<LogFile, FileOutcome>,
): Promise<void> {
  const numbers = fileNumbers(store.files);
  for (const file of files) {
    outcomes.set(file, await readLogFile(store, numbers, file, { now: now(), progress }));
    await giveTurn?.();
  }
}

/** Reads one file into the store. `now` is a moment before the reading, in milliseconds since the epoch. */
export async function readLogFile(
  store: UsageStore,
  numbers: Map<string, number>,
  { source, path, fingerprint, bytes, modified }: LogFile,
  { now, progress }: { readonly now: number; readonly progress: ScanContext['progress'] },
): Promise<FileOutcome> {
  const { platform, version } = source;
  const key = fileKey({ platform, path });
  const number = numbers.get(key) ?? store.files.length;
  const skipped = skipCounts(() => 0);
  const entry = { path, platform, version, fingerprint: NO_FINGERPRINT, bytes, records: 0, skipped };
  // Add the entry before reading: rows of a file whose reading fails half-way refer to it.
  store.files[number] = { ...entry, skipped: skipCounts(() => 0) };
  numbers.set(key, number);
  if (!store.platforms.includes(platform)) store.platforms.push(platform);
  const platformNumber = store.platforms.indexOf(platform);
  let left = bytes;
  const advance = (read: number): void => {
    left -= read;
    progress(read);
  };
  try {
    await source.read(path, {
      advance,
      skip: (reason) => {
        skipped[reason] += 1;
      },
      add: ({ keys, request, isCopy, counts, at, origin }) => {
        entry.records += 1;
        store.table.add({
          keys: hashKeys(platform, keys),
          request: isCopy === true ? COPY : requestNumber(request),
          counts,
          // A record without a time is at most as late as its file's last modification.
          time: Math.max(1, Math.floor((at ?? modified) / 1000)),
          file: number,
          platform: platformNumber,
          origin: origin === undefined ? UNKNOWN_ORIGIN : store.table.origins.number(origin),
        });
      },
    });
  } catch (error) {
    return { kind: 'unreadable', reason: reasonOf(error) };
  } finally {
    advance(Math.max(0, left));
  }
  store.files[number] = { ...entry, fingerprint: now - modified < RACY_MS ? NO_FINGERPRINT : fingerprint };
  return { kind: 'read', number };
}
