import { parentPort, workerData } from 'node:worker_threads';
import { RecordWriter } from './scan/record-buffer.ts';
import { runScanTask, type ScanTask } from './scan/scan-worker.ts';

/** The program of the scan workers that `read-in-workers.ts` starts: reads the tasks that it receives, one after the other. */
const memory: SharedArrayBuffer = workerData;
const records = new RecordWriter(memory);
let last = Promise.resolve();
parentPort?.on('message', (task: ScanTask) => {
  last = last.then(() => runScanTask(task, records, (report) => parentPort?.postMessage(report)));
});
