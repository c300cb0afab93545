import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { joinStores } from '../store/open-store.ts';
import type { UsageStore } from '../store/usage-store.ts';
import { fileKey, fileNumbers } from '../store/usage-store.ts';
import { UsageTable } from '../store/usage-table.ts';
import { type FileOutcome, type LogFile, readLogFile, type ScanContext, type ScanProgress } from './read-log-file.ts';
import { bytesDone, type ScanTask, type ScanWorkerReport, shareMemory } from './scan-worker.ts';

/** Young generation of a scan worker, in MiB: parsed lines are garbage at once, so more takes memory and saves no time. */
const YOUNG_MIB = 4;

/** Interval between progress reports, in milliseconds. */
const PROGRESS_INTERVAL_MS = 100;

/** Receives the outcome of a file, by its index in the task. */
type Settle = (index: number, outcome: FileOutcome) => void;

/** The program of the scan workers in the bundle. Run from its sources, the tool has none and reads in the main thread. */
const SCAN_WORKER_PROGRAM = new URL('../scan-worker.js', import.meta.url);

/**
 * Reads files in several worker threads. Each takes the next file, the largest first, and counts into a separate store. The
 * stores are merged at the end, with the same result as reading the files sequentially. Files of a worker that failed are
 * read in this thread. Returns outcomes in the order of the files.
 */
export async function readInWorkers(files: readonly LogFile[], context: ScanContext): Promise<readonly FileOutcome[]> {
  const { store, workers } = context;
  const order = files.map((_, index) => index).sort((left, right) => files[right]!.bytes - files[left]!.bytes);
  const sorted = order.map((index) => files[index]!);
  const task: ScanTask = {
    files: sorted.map(({ source: { platform }, ...file }) => ({ ...file, platform })),
    shared: shareMemory(),
    now: context.now(),
  };
  const outcomes: FileOutcome[] = [];
  const settle = (index: number, outcome: FileOutcome): void => {
    outcomes[order[index]!] = outcome;
  };
  const reports = Promise.all(Array.from({ length: workers }, () => startScanWorker(task)));
  await reportProgress(task, reports, context.progress);
  for (const report of await reports) if (report !== null) mergeReport(report, store, settle);
  const known = fileNumbers(store.files);
  for (const [index, file] of files.entries()) outcomes[index] ??= await readLogFile(store, known, file, task.now);
  return outcomes;
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
async function reportProgress(task: ScanTask, ended: Promise<unknown>, progress: ScanProgress): Promise<void> {
  const isEnded = ended.then(() => true);
  let reported = 0;
  for (let isDone = false; !isDone; ) {
    isDone = await Promise.race([isEnded, pause(PROGRESS_INTERVAL_MS, false, { ref: false })]);
    const done = bytesDone(task);
    await progress.done(done - reported);
    reported = done;
  }
}

/** Merges a scan worker's store into the store. */
function mergeReport(report: ScanWorkerReport, store: UsageStore, settle: Settle): void {
  const { rows, keys } = report.table;
  const table = UsageTable.of(rows, keys);
  if (store.files.length === 0) {
    store.table.replaceBy(table);
    store.files.push(...report.files);
    store.platforms.push(...report.platforms);
  } else {
    joinStores(store, { epoch: store.epoch, table, files: [...report.files], platforms: [...report.platforms] });
  }
  const numbers = fileNumbers(store.files);
  const storeNumbers = report.files.map(({ platform, path }) => numbers.get(fileKey(platform, path))!);
  // `joinStores` keeps the former entry of a known file: replace it by the new one.
  for (const [number, entry] of report.files.entries()) store.files[storeNumbers[number]!] = entry;
  for (const [index, outcome] of report.outcomes) {
    settle(index, outcome.kind === 'unreadable' ? outcome : { ...outcome, number: storeNumbers[outcome.number]! });
  }
}
