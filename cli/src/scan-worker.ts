import { parentPort } from 'node:worker_threads';
import { runScanTask, type ScanTask } from './scan/scan-worker.ts';

/** The program of the scan worker that `read-in-worker.ts` starts: reads the tasks that it receives, one after the other. */
let last = Promise.resolve();
parentPort?.on('message', (task: ScanTask) => {
  last = last.then(() => runScanTask(task, (report) => parentPort?.postMessage(report)));
});
