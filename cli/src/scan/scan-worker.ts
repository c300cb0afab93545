import { sourcesOf } from '../sources/registry.ts';
import type { HashedRecord } from '../store/usage.ts';
import { type LogFile, type ReadResult, readLogFile } from './read-log-file.ts';

/** A report is sent when so much has been read, in bytes. */
const REPORT_BYTES = 8 * 2 ** 20;

/** Files for a scan worker to read. Functions cannot be sent to another thread: a file's source is given by its platform. */
export type ScanTask = ReadonlyArray<
  Pick<LogFile, 'path' | 'bytes' | 'modified'> & { readonly platform: string; readonly index: number }
>;

/** What a scan worker has read since its last report. */
export interface ScanReport {
  readonly bytes: number;
  /** By the indexes of their files. */
  readonly records: ReadonlyArray<readonly [index: number, records: HashedRecord[]]>;
  /** Of the files that are read to their end, by index. */
  readonly results: ReadonlyArray<readonly [index: number, result: ReadResult]>;
  /** Whether the task is done. */
  readonly isDone: boolean;
}

/** Reads the files of a task. */
export async function runScanTask(task: ScanTask, report: (report: ScanReport) => void): Promise<void> {
  let bytes = 0;
  let records: Array<ScanReport['records'][number]> = [];
  let results: Array<ScanReport['results'][number]> = [];
  const send = (isDone: boolean): void => {
    report({ bytes, records, results, isDone });
    bytes = 0;
    records = [];
    results = [];
  };
  const progress = (read: number): void => {
    bytes += read;
    if (bytes >= REPORT_BYTES) send(false);
  };
  for (const { index, platform, ...file } of task) {
    const [source] = sourcesOf([platform]);
    if (source === undefined) throw new Error(`no source reads ${platform}`);
    const result = await readLogFile({ ...file, source }, progress, (record) => {
      if (records.at(-1)?.[0] !== index) records.push([index, []]);
      records.at(-1)![1].push(record);
    });
    results.push([index, result]);
  }
  send(true);
}
