import { Worker } from 'node:worker_threads';
import type { FileEntry } from '../store/buckets.ts';
import type { LogFile } from './read-log-file.ts';
import type { ScanReport, ScanTask } from './scan-worker.ts';
import { beginFile, endFile, type FileOutcome, readSequentially, type ScanContext } from './store-writer.ts';

/** Young generation of the scan worker, in MiB: what is read is garbage at once. Half as much takes a tenth more CPU time. */
const YOUNG_MIB = 6;

/** The program of the scan worker in the bundle. Run from its sources, the tool has none and reads in the main thread. */
const SCAN_WORKER_PROGRAM = new URL('../scan-worker.js', import.meta.url);

/**
 * Reads files in a worker thread while this one stores their records, with the same result as reading them here. Files of a scan worker
 * that failed are read here. Adds the outcomes to `outcomes`.
 */
export async function readInWorker(
  files: readonly LogFile[],
  context: ScanContext,
  outcomes: Map<LogFile, FileOutcome>,
  program = SCAN_WORKER_PROGRAM,
): Promise<void> {
  const { store, now, progress } = context;
  const startedAt = now();
  const entries: FileEntry[] = [];
  const entryOf = (index: number): FileEntry => (entries[index] ??= beginFile(store, files[index]!));
  await runScanWorker(program, files, ({ records, results, bytes }) => {
    for (const [index, ofFile] of records) store.add(ofFile, entryOf(index));
    for (const [index, result] of results) {
      const file = files[index]!;
      outcomes.set(file, endFile(store, file, entryOf(index), result, startedAt));
    }
    progress(bytes);
  });
  const left = files.filter((file) => !outcomes.has(file));
  await readSequentially(left, { ...context, now: () => startedAt }, outcomes);
}

/** Runs a scan worker until it has read all files, or fails. Rejects when `receive` throws. */
function runScanWorker(program: URL, files: readonly LogFile[], receive: (report: ScanReport) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const taken = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const given = files.map(({ path, bytes, modified, source: { platform } }) => ({ path, bytes, modified, platform }));
    const workerData: ScanTask = { files: given, taken };
    const worker = new Worker(program, { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB } });
    worker.on('message', (report: ScanReport) => {
      try {
        receive(report);
        Atomics.add(new Int32Array(taken), 0, 1);
        Atomics.notify(new Int32Array(taken), 0);
      } catch (error) {
        // The store failed.
        reject(error);
        void worker.terminate();
      }
    });
    // Its files have no outcome.
    worker.once('error', () => undefined);
    // Until then its memory is not freed.
    worker.once('exit', () => resolve());
  });
}
