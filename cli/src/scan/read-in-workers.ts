import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { joinStores } from '../store/open-store.ts';
import type { UsageStore } from '../store/usage-store.ts';
import { fileName, fileNumbers } from '../store/usage-store.ts';
import { UsageTable } from '../store/usage-table.ts';
import { type FileOutcome, type LookedAt, readInto, type ScanContext, type ScanProgress } from './read-into.ts';
import { bytesDone, type ScanTask, type ScanWorkerReport, shareMemory } from './scan-worker.ts';

/** Young objects of a lane, in MiB: texts of lines that were parsed, garbage at once. More room takes memory and saves no time. */
const YOUNG_MIB = 4;

/** How often it is told how far the lanes are, in milliseconds. */
const TELL_MS = 100;

/** Takes what became of a file, by its place in the list. */
type Settle = (at: number, outcome: FileOutcome) => void;

/** The threads' program, where the bundle has it. Run from its sources, the tool finds none and reads alone. */
const SCAN_WORKER_PROGRAM = new URL('../scan-worker.js', import.meta.url);

/**
 * Reads files on several threads beside this one: each takes the next file that none has taken, the largest first, and
 * counts into a store of its own. The stores are joined at the end, which gives the same counts as reading one file after
 * the other does. What a thread took that came to nothing is read here. Answers in the order of the files.
 */
export async function readInWorkers(files: readonly LookedAt[], context: ScanContext): Promise<readonly FileOutcome[]> {
  const { store, workers } = context;
  const order = files.map((_, index) => index).sort((left, right) => files[right]!.bytes - files[left]!.bytes);
  const sorted = order.map((index) => files[index]!);
  const task: ScanTask = {
    files: sorted.map(({ source: { platform }, ...file }) => ({ ...file, platform })),
    shared: shareMemory(),
    now: context.now(),
  };
  const outcomes: FileOutcome[] = [];
  const settle = (at: number, outcome: FileOutcome): void => {
    outcomes[order[at]!] = outcome;
  };
  const reports = Promise.all(Array.from({ length: workers }, () => startScanWorker(task)));
  await logProgress(task, reports, context.progress);
  for (const report of await reports) if (report !== null) takeIn(report, store, settle);
  const known = fileNumbers(store.files);
  for (const [index, file] of files.entries()) outcomes[index] ??= await readInto(store, known, file, task.now);
  return outcomes;
}

/** Starts a thread; null when it comes to nothing. */
export function startScanWorker(task: ScanTask, program = SCAN_WORKER_PROGRAM): Promise<ScanWorkerReport | null> {
  return new Promise((resolve) => {
    const worker = new Worker(program, {
      workerData: task,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    let brought: ScanWorkerReport | null = null;
    worker.once('message', (report: ScanWorkerReport) => {
      brought = report;
    });
    worker.once('error', () => resolve(null));
    // Only then is its memory free.
    worker.once('exit', () => resolve(brought));
  });
}

/** Tells how far the lanes are until they have ended. */
async function logProgress(task: ScanTask, ended: Promise<unknown>, progress: ScanProgress): Promise<void> {
  const isEnded = ended.then(() => true);
  let told = 0;
  for (let isDone = false; !isDone; ) {
    isDone = await Promise.race([isEnded, pause(TELL_MS, false, { ref: false })]);
    const done = bytesDone(task);
    await progress.done(done - told);
    told = done;
  }
}

/** Joins what a lane read into the store. */
function takeIn(report: ScanWorkerReport, store: UsageStore, settle: Settle): void {
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
  const ours = report.files.map(({ platform, path }) => numbers.get(fileName(platform, path))!);
  // A file that was known before stands there as it was then.
  for (const [number, entry] of report.files.entries()) store.files[ours[number]!] = entry;
  for (const [at, outcome] of report.outcomes) {
    settle(at, outcome.kind === 'unreadable' ? outcome : { ...outcome, number: ours[outcome.number]! });
  }
}
