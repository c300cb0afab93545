import { sourcesOf } from '../sources/registry.ts';
import { type LogFile, type ReadResult, readLogFile } from './read-log-file.ts';
import type { RecordWriter, SentRecords } from './record-buffer.ts';

/** A report is sent when so much has been read, in bytes, or there is no room for a record. */
const REPORT_BYTES = 8 * 2 ** 20;

/** Files for a scan worker to read. Functions cannot be sent to another thread: a file's source is given by its platform. */
export type ScanTask = ReadonlyArray<
  Pick<LogFile, 'path' | 'bytes' | 'modified'> & { readonly platform: string; readonly index: number }
>;

/** What a scan worker has read since its last report. The records are of files by their index. */
export interface ScanReport extends SentRecords {
  readonly bytes: number;
  /** Of the files that are read to their end, by index. */
  readonly results: ReadonlyArray<readonly [index: number, result: ReadResult]>;
  /** Whether the task is done. */
  readonly isDone: boolean;
}

/** Reads the files of a task. */
export async function runScanTask(
  task: ScanTask,
  records: RecordWriter,
  report: (report: ScanReport) => void,
): Promise<void> {
  let bytes = 0;
  let results: Array<readonly [number, ReadResult]> = [];
  const send = (isDone: boolean): void => {
    report({ ...records.take(), bytes, results, isDone });
    bytes = 0;
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
      if (records.add(record, index)) return;
      send(false);
      if (!records.add(record, index)) throw new Error('a record does not fit into the shared memory');
    });
    results.push([index, result]);
  }
  send(true);
}
