import { Worker } from 'node:worker_threads';
import { joinStores } from '../store/open-store.ts';
import type { UsageStore } from '../store/usage-file.ts';
import { UsageTable } from '../store/usage-table.ts';
import { type LaneReport, type LaneTask, noteDone, shareMemory, takeNext } from './lane.ts';
import { type FileOutcome, fileName, fileNumbers, type LookedAt, readInto, type ScanContext } from './scan-files.ts';

/** Young objects of a lane, in MiB: texts of lines that were parsed, garbage at once. */
const YOUNG_MIB = 32;

/** Takes what became of a file, by its place in the list. */
type Settle = (at: number, outcome: FileOutcome) => void;

/** The threads' program, where the bundle has it. Run from its sources, the tool finds none and reads alone. */
const LANE_PROGRAM = new URL('../scan-lane.js', import.meta.url);

/**
 * Reads files on several threads, of which this one is one: each takes the next file that none has taken, the largest
 * first, and counts into a store of its own. The stores are joined at the end, which gives the same counts as reading one
 * file after the other does. What a thread took that came to nothing is read again here. Answers in the order of the files.
 */
export async function readInLanes(
  files: readonly LookedAt[],
  numbers: Map<string, number>,
  context: ScanContext,
): Promise<readonly FileOutcome[]> {
  const { store, lanes } = context;
  const order = files.map((_, index) => index).sort((left, right) => files[right]!.bytes - files[left]!.bytes);
  const sorted = order.map((index) => files[index]!);
  const task: LaneTask = {
    files: sorted.map(({ source: { platform }, ...file }) => ({ ...file, platform })),
    shared: shareMemory(),
    now: context.now(),
  };
  const outcomes: FileOutcome[] = [];
  const settle = (at: number, outcome: FileOutcome): void => {
    outcomes[order[at]!] = outcome;
  };
  // This thread is a lane as well.
  const reports = Array.from({ length: lanes - 1 }, () => startLane(task));
  await readOwnShare(task, sorted, numbers, context, settle);
  for (const report of await Promise.all(reports)) if (report !== null) takeIn(report, store, settle);
  const known = fileNumbers(store);
  for (const [index, file] of files.entries()) outcomes[index] ??= await readInto(store, known, file, task.now);
  return outcomes;
}

/** Starts a thread; null when it comes to nothing. */
export function startLane(task: LaneTask, program = LANE_PROGRAM): Promise<LaneReport | null> {
  return new Promise((resolve) => {
    const worker = new Worker(program, {
      workerData: task,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    worker.once('message', (report: LaneReport) => resolve(report));
    worker.once('error', () => resolve(null));
    worker.once('exit', () => resolve(null));
  });
}

async function readOwnShare(
  task: LaneTask,
  files: readonly LookedAt[],
  numbers: Map<string, number>,
  { store, progress }: ScanContext,
  settle: Settle,
): Promise<void> {
  let told = 0;
  for (let at = takeNext(task); at !== null; at = takeNext(task)) {
    const file = files[at]!;
    settle(at, await readInto(store, numbers, file, task.now));
    const done = noteDone(task, file.bytes);
    await progress.done(done - told);
    told = done;
  }
}

/** Joins what a lane read into the store. */
function takeIn(report: LaneReport, store: UsageStore, settle: Settle): void {
  const { rows, keys } = report.table;
  const table = UsageTable.of(rows, keys);
  joinStores(store, { epoch: store.epoch, table, files: [...report.files], platforms: [...report.platforms] });
  const numbers = fileNumbers(store);
  const ours = report.files.map(({ platform, path }) => numbers.get(fileName(platform, path))!);
  // A file that was known before stands there as it was then.
  for (const [number, entry] of report.files.entries()) store.files[ours[number]!] = entry;
  for (const [at, outcome] of report.outcomes) {
    settle(at, outcome.kind === 'unreadable' ? outcome : { ...outcome, number: ours[outcome.number]! });
  }
}
