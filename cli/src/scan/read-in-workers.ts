import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { joinStores } from '../store/open-store.ts';
import { Origins } from '../store/origins.ts';
import { fileKey, fileNumbers, type UsageStore } from '../store/usage-store.ts';
import { UsageTable } from '../store/usage-table.ts';
import { type FileOutcome, type LogFile, readSequentially, type ScanContext } from './read-log-file.ts';
import { bytesDone, type ScanTask, type ScanWorkerReport, shareMemory } from './scan-worker.ts';

/** Young generation of a scan worker, in MiB: parsed lines are garbage at once, so more takes memory and saves no time. */
const YOUNG_MIB = 4;

/** Interval between progress reports, in milliseconds. */
const PROGRESS_INTERVAL_MS = 100;

/** The program of the scan workers in the bundle. Run from its sources, the tool has none and reads in the main thread. */
const SCAN_WORKER_PROGRAM = new URL('../scan-worker.js', import.meta.url);

/**
 * Reads files in several worker threads. Each takes the next file, the largest first, and counts into a separate store. The
 * stores are merged at the end, with the same result as reading the files sequentially. Files of a worker that failed are
 * read in this thread. Adds the outcomes to `outcomes`.
 */
export async function readInWorkers(
  files: readonly LogFile[],
  context: ScanContext,
  outcomes: Map<LogFile, FileOutcome>,
): Promise<void> {
  const { store, now, workers, progress } = context;
  const sorted = files.toSorted((left, right) => right.bytes - left.bytes);
  const task: ScanTask = {
    files: sorted.map(({ source: { platform }, ...file }) => ({ ...file, platform })),
    shared: shareMemory(),
    now: now(),
  };
  const reports = Promise.all(Array.from({ length: workers }, () => startScanWorker(task)));
  await reportProgress(task, reports, progress);
  for (const report of await reports) {
    if (report === null) continue;
    const numbers = mergeReport(report, store);
    for (const [index, outcome] of report.outcomes) {
      const isRead = outcome.kind !== 'unreadable';
      outcomes.set(sorted[index]!, isRead ? { ...outcome, number: numbers[outcome.number]! } : outcome);
    }
  }
  const left = files.filter((file) => !outcomes.has(file));
  await readSequentially(left, { ...context, now: () => task.now }, outcomes);
}

/** Runs a scan worker; null when it fails. */
export function startScanWorker(task: ScanTask, program = SCAN_WORKER_PROGRAM): Promise<ScanWorkerReport | null> {
  return new Promise((resolve) => {
    const worker = new Worker(program, {
      workerData: task,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    let received: ScanWorkerReport | null = null;
    worker.once('message', (report: ScanWorkerReport) => {
      received = report;
    });
    worker.once('error', () => resolve(null));
    // Wait for the exit: until then the worker's memory is not freed.
    worker.once('exit', () => resolve(received));
  });
}

/** Reports the progress of the scan workers until they have ended. */
async function reportProgress(
  task: ScanTask,
  ended: Promise<unknown>,
  progress: ScanContext['progress'],
): Promise<void> {
  const isEnded = ended.then(() => true);
  let reported = 0;
  for (let isDone = false; !isDone; ) {
    isDone = await Promise.race([isEnded, pause(PROGRESS_INTERVAL_MS, false, { ref: false })]);
    const done = bytesDone(task);
    progress(done - reported);
    reported = done;
  }
}

/** Merges a scan worker's store into the store. Returns the numbers of the report's files in the store. */
function mergeReport(
  { table: stored, origins, files, platforms }: ScanWorkerReport,
  store: UsageStore,
): readonly number[] {
  const table = new UsageTable(stored, new Origins(origins));
  if (store.files.length === 0) {
    store.table.replaceBy(table);
    store.files.push(...files);
    store.platforms.push(...platforms);
  } else {
    joinStores(store, { epoch: store.epoch, table, files, platforms });
  }
  const known = fileNumbers(store.files);
  const numbers = files.map((file) => known.get(fileKey(file))!);
  // `joinStores` keeps the former entry of a known file: replace it by the new one.
  for (const [index, number] of numbers.entries()) store.files[number] = files[index]!;
  return numbers;
}
