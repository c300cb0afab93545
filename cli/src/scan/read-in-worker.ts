import { Worker } from 'node:worker_threads';
import type { FileEntry } from '../store/buckets.ts';
import type { LogFile } from './read-log-file.ts';
import type { ScanReport, ScanTask } from './scan-worker.ts';
import { beginFile, endFile, type FileOutcome, readSequentially, type ScanContext } from './store-writer.ts';

/** Young generation of the scan worker, in MiB: what is read is garbage at once. Half as much takes a tenth more CPU time. */
const YOUNG_MIB = 6;

/** A task ends with the file that reaches one of these, so that reports do not fill the memory of the main thread. */
const TASK_BYTES = 8 * 2 ** 20;
const TASK_FILES = 64;

/** Tasks that the scan worker has at a time, so that it does not wait for the next one. */
const TASKS_AHEAD = 2;

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
  const nextTask = (): ScanTask => {
    const task: Array<ScanTask[number]> = [];
    for (let left = TASK_BYTES; left > 0 && task.length < TASK_FILES && entries.length < files.length; ) {
      const file = files[entries.length]!;
      const { path, bytes, modified, source } = file;
      task.push({ path, bytes, modified, platform: source.platform, index: entries.length });
      entries.push(beginFile(store, file));
      left -= bytes;
    }
    return task;
  };
  const receive = ({ records, results, bytes }: ScanReport): void => {
    for (const [index, ofFile] of records) store.add(ofFile, entries[index]!);
    for (const [index, result] of results) {
      const file = files[index]!;
      outcomes.set(file, endFile(store, file, entries[index]!, result, startedAt));
    }
    progress(bytes);
  };
  await runScanWorker(program, nextTask, receive);
  const left = files.filter((file) => !outcomes.has(file));
  await readSequentially(left, { ...context, now: () => startedAt }, outcomes);
}

/** Runs a scan worker until a task has no files, or it fails. */
function runScanWorker(program: URL, nextTask: () => ScanTask, receive: (report: ScanReport) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(program, { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB } });
    let given = 0;
    const give = (): void => {
      const task = nextTask();
      if (task.length === 0) return void (given === 0 && worker.terminate());
      given += 1;
      worker.postMessage(task);
    };
    worker.on('message', (report: ScanReport) => {
      try {
        receive(report);
      } catch (error) {
        // The store failed.
        reject(error);
        return void worker.terminate();
      }
      if (!report.isDone) return;
      given -= 1;
      give();
    });
    // Its files have no outcome.
    worker.once('error', () => undefined);
    // Until then its memory is not freed.
    worker.once('exit', () => resolve());
    for (let task = 0; task < TASKS_AHEAD; task += 1) give();
  });
}
