import { statSync } from 'node:fs';
import type { Source } from '../sources/source.ts';
import { type FileEntry, fileKey, fileNumbers } from '../store/usage-store.ts';
import { type FileOutcome, type LogFile, readLogFile, type ScanContext } from './read-log-file.ts';

/** Less than this is read in the main thread, because scan workers take time to start. In bytes. */
const MIN_PARALLEL_BYTES = 48 * 2 ** 20;

/** The number of an unchanged file; undefined when it is new or has changed. */
export function knownNumber(
  known: readonly FileEntry[],
  numbers: ReadonlyMap<string, number>,
  { source, path, fingerprint }: LogFile,
): number | undefined {
  const number = numbers.get(fileKey(source.platform, path));
  if (number === undefined) return undefined;
  const entry = known[number]!;
  return entry.fingerprint === fingerprint && entry.version === source.version ? number : undefined;
}

/** Reads new and changed files into the store. Returns outcomes in the order of the files. */
export async function scanFiles(files: readonly LogFile[], context: ScanContext): Promise<readonly FileOutcome[]> {
  const { store, progress, workers } = context;
  const numbers = fileNumbers(store.files);
  const outcomes: FileOutcome[] = [];
  const pending: number[] = [];
  let known = 0;
  let bytes = 0;
  for (const [index, file] of files.entries()) {
    const number = knownNumber(store.files, numbers, file);
    if (number === undefined) {
      pending.push(index);
      bytes += file.bytes;
    } else {
      outcomes[index] = { kind: 'known', number };
      known += file.bytes;
    }
  }
  // One report for all unchanged files: an `await` for each would dominate the time of the scan.
  await progress.done(known);
  const unread = pending.map((index) => files[index]!);
  const isParallel = workers > 1 && unread.length > 1 && bytes >= MIN_PARALLEL_BYTES;
  const read = isParallel
    ? await (await import('./read-in-workers.ts')).readInWorkers(unread, context)
    : await readSequentially(unread, numbers, context);
  for (const [at, index] of pending.entries()) outcomes[index] = read[at]!;
  return outcomes;
}

async function readSequentially(
  files: readonly LogFile[],
  numbers: Map<string, number>,
  { store, now, progress }: ScanContext,
): Promise<readonly FileOutcome[]> {
  const outcomes: FileOutcome[] = [];
  for (const file of files) {
    outcomes.push(await readLogFile(store, numbers, file, now()));
    await progress.done(file.bytes);
  }
  return outcomes;
}

/** Reads the status of a file and its companions; null when the file was deleted. Throws system errors. */
export function statLogFile(source: Source, path: string): LogFile | null {
  const main = statSync(path, { throwIfNoEntry: false });
  if (main === undefined) return null;
  const parts = [`${main.size}:${main.mtimeMs}:${main.ino}`];
  let bytes = main.size;
  let modified = main.mtimeMs;
  for (const companion of source.companions?.(path) ?? []) {
    const other = statSync(companion, { throwIfNoEntry: false });
    parts.push(other === undefined ? '-' : `${other.size}:${other.mtimeMs}:${other.ino}`);
    bytes += other?.size ?? 0;
    modified = Math.max(modified, other?.mtimeMs ?? 0);
  }
  return { source, path, fingerprint: parts.join('|'), bytes, modified };
}
