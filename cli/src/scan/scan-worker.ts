import { sourcesOf } from '../sources/registry.ts';
import { emptyStore, type FileEntry } from '../store/usage-store.ts';
import type { StoredTable } from '../store/usage-table.ts';
import { type FileOutcome, type LogFile, readLogFile } from './read-log-file.ts';

/** Indices in the memory that the scan workers share: the next file to take, and how much was read. */
const SHARED = { next: 0, kibibytesDone: 1 } as const;

export function shareMemory(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Object.keys(SHARED).length * Int32Array.BYTES_PER_ELEMENT));
}

/** A file for another thread: functions cannot be sent, so its source is given by its platform. */
export interface ScanFile extends Omit<LogFile, 'source'> {
  readonly platform: string;
}

export interface ScanTask {
  /** Largest first, so that the scan workers end at about the same time. */
  readonly files: readonly ScanFile[];
  readonly shared: Int32Array;
  /** A moment before any of the files is read, in milliseconds since the epoch. */
  readonly now: number;
}

/** What a scan worker has read: its store, and the outcome of each file that it took, by the file's index in the task. */
export interface ScanWorkerReport {
  readonly table: StoredTable;
  readonly files: readonly FileEntry[];
  readonly platforms: readonly string[];
  readonly outcomes: ReadonlyArray<readonly [number, FileOutcome]>;
}

/** Takes the index of the next file; null when there is none. */
export function takeNext({ files, shared }: ScanTask): number | null {
  const index = Atomics.add(shared, SHARED.next, 1);
  return index < files.length ? index : null;
}

/** The bytes that all scan workers have read so far, rounded to kibibytes for each file. */
export function bytesDone({ shared }: ScanTask): number {
  return Atomics.load(shared, SHARED.kibibytesDone) * 1024;
}

/** Reads files until none are left, into a new store. */
export async function runScanWorker(task: ScanTask): Promise<ScanWorkerReport> {
  const store = emptyStore(0);
  const numbers = new Map<string, number>();
  const outcomes: Array<readonly [number, FileOutcome]> = [];
  for (let index = takeNext(task); index !== null; index = takeNext(task)) {
    const { platform, ...file } = task.files[index]!;
    const [source] = sourcesOf([platform]);
    outcomes.push([index, await readLogFile(store, numbers, { ...file, source: source! }, task.now)]);
    Atomics.add(task.shared, SHARED.kibibytesDone, Math.round(file.bytes / 1024));
  }
  return { table: store.table.columns(), files: store.files, platforms: store.platforms, outcomes };
}
