import { sourcesOf } from '../sources/registry.ts';
import { emptyStore, type FileEntry } from '../store/usage-store.ts';
import type { StoredTable } from '../store/usage-table.ts';
import { type FileOutcome, type LookedAt, readInto } from './read-into.ts';

/** Places in the memory that the lanes share: the next file that nobody has taken, and how much was read. */
const SHARED = { next: 0, kibibytesDone: 1 } as const;

/** The memory that the lanes of a scan share. */
export function shareMemory(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Object.keys(SHARED).length * Int32Array.BYTES_PER_ELEMENT));
}

/** A file as it is told to another thread: its source by its platform's name. */
export interface ScanFile extends Omit<LookedAt, 'source'> {
  readonly platform: string;
}

/** What a lane is to do. */
export interface ScanTask {
  /** Largest first: the lanes then end at about the same time. */
  readonly files: readonly ScanFile[];
  readonly shared: Int32Array;
  /** A moment before any of the files is read, in milliseconds since the epoch. */
  readonly now: number;
}

/** What a lane has read: a store of its own, and what became of each file that it took, by the file's place in the list. */
export interface ScanWorkerReport {
  readonly table: StoredTable;
  readonly files: readonly FileEntry[];
  readonly platforms: readonly string[];
  readonly outcomes: ReadonlyArray<readonly [number, FileOutcome]>;
}

/** Takes the next file that no lane has taken; null when there is none. */
export function takeNext({ files, shared }: ScanTask): number | null {
  const index = Atomics.add(shared, SHARED.next, 1);
  return index < files.length ? index : null;
}

/** The bytes that all lanes have read so far, as near as whole kibibytes tell. */
export function bytesDone({ shared }: ScanTask): number {
  return Atomics.load(shared, SHARED.kibibytesDone) * 1024;
}

/** Reads files until there are none left, into a store of its own. */
export async function runScanWorker(task: ScanTask): Promise<ScanWorkerReport> {
  const store = emptyStore(0);
  const numbers = new Map<string, number>();
  const outcomes: Array<readonly [number, FileOutcome]> = [];
  for (let index = takeNext(task); index !== null; index = takeNext(task)) {
    const { platform, ...file } = task.files[index]!;
    const [source] = sourcesOf([platform]);
    outcomes.push([index, await readInto(store, numbers, { ...file, source: source! }, task.now)]);
    Atomics.add(task.shared, SHARED.kibibytesDone, Math.round(file.bytes / 1024));
  }
  return { table: store.table.columns(), files: store.files, platforms: store.platforms, outcomes };
}
