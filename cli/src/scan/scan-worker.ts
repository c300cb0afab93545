import { sourcesOf } from '../sources/registry.ts';
import { emptyStore } from '../store/usage-store.ts';
import { type FileOutcome, type LogFile, readLogFile } from './read-log-file.ts';

/** Indices in the memory that the scan workers share: the next file to take, and how much was read. */
const SHARED = { next: 0, kibibytesDone: 1 } as const;

export function shareMemory(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Object.keys(SHARED).length * Int32Array.BYTES_PER_ELEMENT));
}

export interface ScanTask {
  /**
   * Largest first, so that the scan workers end at about the same time. Functions cannot be sent to another thread, so a
   * file's source is given by its platform.
   */
  readonly files: ReadonlyArray<Omit<LogFile, 'source'> & { readonly platform: string }>;
  readonly shared: Int32Array;
  /** A moment before any of the files is read, in milliseconds since the epoch. */
  readonly now: number;
}

/** What a scan worker has read: its store, and the outcome of each file that it took, by the file's index in the task. */
export type ScanWorkerReport = Awaited<ReturnType<typeof runScanWorker>>;

/** The bytes that all scan workers have read so far, rounded to kibibytes for each file and read. */
export function bytesDone({ shared }: ScanTask): number {
  return Atomics.load(shared, SHARED.kibibytesDone) * 1024;
}

/** Reads files until none are left, into a new store. */
export async function runScanWorker({ files, shared, now }: ScanTask) {
  const store = emptyStore(0);
  const numbers = new Map<string, number>();
  const outcomes: Array<readonly [number, FileOutcome]> = [];
  const progress = (bytes: number): void => void Atomics.add(shared, SHARED.kibibytesDone, Math.round(bytes / 1024));
  const takeNext = (): number => Atomics.add(shared, SHARED.next, 1);
  for (let index = takeNext(); index < files.length; index = takeNext()) {
    const { platform, ...file } = files[index]!;
    const [source] = sourcesOf([platform]);
    outcomes.push([index, await readLogFile(store, numbers, { ...file, source: source! }, { now, progress })]);
  }
  return {
    table: store.table.stored(),
    origins: store.table.origins.list,
    files: store.files,
    platforms: store.platforms,
    outcomes,
  };
}
