import { parentPort, workerData } from 'node:worker_threads';
import { type LaneTask, runLane } from './scan/lane.ts';

/** A thread that reads logs: the program of the workers that `read-in-lanes.ts` starts. */
const task: LaneTask = workerData;
const report = await runLane(task);
const { rows, keys } = report.table;
// Columns are handed over, not copied.
const buffers = new Set([...Object.values(rows), ...Object.values(keys)].map(({ buffer }) => buffer));
parentPort?.postMessage(report, [...buffers]);
