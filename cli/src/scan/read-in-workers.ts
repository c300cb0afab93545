import { Worker } from 'node:worker_threads';
import type { LogFile } from './read-log-file.ts';
import { readRecords, shareRecordMemory } from './record-buffer.ts';
import type { ScanReport, ScanTask } from './scan-worker.ts';
import { type FileOutcome, readSequentially, type ScanContext, StoreWriter } from './store-writer.ts';

/** Young generation of a scan worker, in MiB: what is read is garbage at once. Half as much takes a tenth more CPU time. */
const YOUNG_MIB = 6;

/** A task ends with the file that reaches one of these: long tasks would leave a scan worker idle at the end, or fill its memory. */
const TASK_BYTES = 8 * 2 ** 20;
const TASK_FILES = 64;

/** Tasks that a scan worker has at a time, so that it does not wait for the next one. */
const TASKS_AHEAD = 2;

/** The program of the scan workers in the bundle. Run from its sources, the tool has none and reads in the main thread. */
const SCAN_WORKER_PROGRAM = new URL('../scan-worker.js', import.meta.url);

/**
 * Reads files in several worker threads, the largest first, with the same result as reading them sequentially. The scan
 * workers send the records while they read, and this thread alone has a store: memory does not grow with the number of scan
 * workers. Files of one that failed are read in this thread. Adds the outcomes to `outcomes`.
 */
export async function readInWorkers(
  files: readonly LogFile[],
  context: ScanContext,
  outcomes: Map<LogFile, FileOutcome>,
  program = SCAN_WORKER_PROGRAM,
): Promise<void> {
  const { store, now, workers, progress } = context;
  const startedAt = now();
  const writer = new StoreWriter(store);
  const sorted = files.toSorted((left, right) => right.bytes - left.bytes);
  const numbers: number[] = [];
  const nextTask = (): ScanTask | null => {
    const task: Array<ScanTask[number]> = [];
    for (let left = TASK_BYTES; left > 0 && task.length < TASK_FILES && numbers.length < sorted.length; ) {
      const file = sorted[numbers.length]!;
      const { path, bytes, modified, source } = file;
      task.push({ path, bytes, modified, platform: source.platform, index: numbers.length });
      numbers.push(writer.begin(file));
      left -= bytes;
    }
    return task.length === 0 ? null : task;
  };
  const receive = (report: ScanReport, memory: SharedArrayBuffer): void => {
    readRecords(memory, report, (record, index) => writer.add(record, numbers[index]!));
    for (const [index, result] of report.results) {
      const file = sorted[index]!;
      outcomes.set(file, writer.end(file, numbers[index]!, result, startedAt));
    }
    progress(report.bytes);
  };
  await Promise.all(Array.from({ length: workers }, () => runScanWorker(program, nextTask, receive)));
  const left = files.filter((file) => !outcomes.has(file));
  await readSequentially(left, { ...context, now: () => startedAt }, outcomes);
}

/** Runs a scan worker until there are no more tasks, or it fails. */
function runScanWorker(
  program: URL,
  nextTask: () => ScanTask | null,
  receive: (report: ScanReport, memory: SharedArrayBuffer) => void,
): Promise<void> {
  return new Promise((resolve) => {
    const memory = shareRecordMemory();
    const worker = new Worker(program, {
      workerData: memory,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    let given = 0;
    const give = (): void => {
      const task = nextTask();
      if (task === null) return void (given === 0 && worker.terminate());
      given += 1;
      worker.postMessage(task);
    };
    worker.on('message', (report: ScanReport) => {
      receive(report, memory);
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
