import { statSync } from 'node:fs';
import type { Source } from '../sources/source.ts';
import { type FileEntry, fileName, fileNumbers } from '../store/usage-store.ts';
import { type FileOutcome, type LookedAt, readInto, type ScanContext } from './read-into.ts';

/** Files are read on several threads where there is at least this much to read: a thread takes a while to begin. In bytes. */
const MIN_SHARED_BYTES = 48 * 2 ** 20;

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
