import { parentPort, workerData } from 'node:worker_threads';
import { runScanWorker, type ScanTask } from './scan/scan-worker.ts';

/** The program of the scan workers that `read-in-workers.ts` starts. */
const task: ScanTask = workerData;
const report = await runScanWorker(task);
const { rows, keys } = report.table;
// Columns are transferred, not copied.
const buffers = new Set([...Object.values(rows), ...Object.values(keys)].map(({ buffer }) => buffer));
parentPort?.postMessage(report, [...buffers]);
