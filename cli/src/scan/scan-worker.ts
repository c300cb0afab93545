import { parentPort, workerData } from 'node:worker_threads';
import { sourcesOf } from '../sources/registry.ts';
import type { HashedRecord } from '../store/usage.ts';
import { type LogFile, type ReadResult, readLogFile } from './read-log-file.ts';

/** A report is sent when so much has been read, in bytes. */
const REPORT_BYTES = 8 * 2 ** 20;

/** Reports that may wait for the main thread, so that they do not fill its memory. */
const MAX_WAITING = 2;

/** Functions cannot be sent to another thread: a file's source is given by its platform. */
export interface ScanTask {
  readonly files: readonly (Pick<LogFile, 'path' | 'bytes' | 'modified'> & { readonly platform: string })[];
  /** An Int32: the reports that the main thread has taken. */
  readonly taken: SharedArrayBuffer;
}

/** What a scan worker has read since its last report. */
export type ScanReport = Readonly<ReturnType<typeof emptyReport>>;

function emptyReport() {
  return {
    bytes: 0,
    /** By the indexes of their files. */
    records: new Array<readonly [index: number, records: HashedRecord[]]>(),
    /** Of the files that are read to their end, by index. */
    results: new Array<readonly [index: number, result: ReadResult]>(),
  };
}

/** The program of the scan worker that `read-in-worker.ts` starts: reads the files of its task, one after the other. */
async function readFiles({ files, taken }: ScanTask): Promise<void> {
  const counter = new Int32Array(taken);
  let report = emptyReport();
  let sent = 0;
  const send = (): void => {
    parentPort?.postMessage(report);
    report = emptyReport();
    sent += 1;
    for (let read = 0; sent - (read = Atomics.load(counter, 0)) > MAX_WAITING; ) Atomics.wait(counter, 0, read);
  };
  const progress = (read: number): void => {
    report.bytes += read;
    if (report.bytes >= REPORT_BYTES) send();
  };
  for (const [index, { platform, ...file }] of files.entries()) {
    const [source] = sourcesOf([platform]);
    if (source === undefined) throw new Error(`no source reads ${platform}`);
    const result = await readLogFile({ ...file, source }, progress, (record) => {
      if (report.records.at(-1)?.[0] !== index) report.records.push([index, []]);
      report.records.at(-1)![1].push(record);
    });
    report.results.push([index, result]);
  }
  send();
}

if (parentPort !== null) await readFiles(workerData);
