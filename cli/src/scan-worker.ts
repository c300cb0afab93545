import { parentPort, workerData } from 'node:worker_threads';
import { runScanWorker, type ScanTask } from './scan/scan-worker.ts';

/** A thread that reads logs: the program of the workers that `read-in-lanes.ts` starts. */
const task: ScanTask = workerData;
const report = await runScanWorker(task);
const { rows, keys } = report.table;
// Columns are handed over, not copied.
const buffers = new Set([...Object.values(rows), ...Object.values(keys)].map(({ buffer }) => buffer));
parentPort?.postMessage(report, [...buffers]);
