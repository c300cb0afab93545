import { type Stats, statSync } from 'node:fs';
import { reasonOf } from '../cli-error.ts';
import { type Source, UnreadLogError } from '../sources/source.ts';
import { type FileEntry, skipCounts } from '../store/buckets.ts';
import { COPY, type HashedRecord, hashKeys, hashRequest } from '../store/usage.ts';
import { isEncrypted } from './encrypted.ts';

const WHERE_IT_EXISTS = { throwIfNoEntry: false } as const;

/** The current status of a log file, to detect changes, and the source that reads it. */
export type LogFile = Readonly<NonNullable<ReturnType<typeof statLogFile>>>;

/** What a file contained besides its records; or the system's error, perhaps after some of its records. */
export type ReadResult = Pick<FileEntry, 'records' | 'skipped'> | { readonly reason: string };

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

/** Reads the records of one file. */
export async function readLogFile(
  { source, path, bytes, modified }: Omit<LogFile, 'fingerprint'>,
  progress: (bytes: number) => void,
  add: (record: HashedRecord) => void,
): Promise<ReadResult> {
  const skipped = skipCounts();
  let records = 0;
  let left = bytes;
  const advance = (read: number): void => {
    left -= read;
    progress(read);
  };
  try {
    if (isEncrypted(path)) throw new UnreadLogError('ENCRYPTED');
    await source.read(path, {
      advance,
      skip: (reason) => {
        skipped[reason] += 1;
      },
      add: ({ keys, request, isCopy, counts, at, origin }) => {
        records += 1;
        add({
          keys: hashKeys(source.platform, keys),
          request: isCopy === true ? COPY : hashRequest(request),
          counts,
          // A record without a time is at most as late as its file's last modification.
          time: Math.max(1, Math.floor((at ?? modified) / 1000)),
          origin,
        });
      },
    });
    return { records, skipped };
  } catch (error) {
    return { reason: reasonOf(error) };
  } finally {
    advance(Math.max(0, left));
  }
}
