import { stat } from 'node:fs/promises';
import { CliError, reasonOf } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import { sourcesOf } from '../sources/registry.ts';
import type { Source } from '../sources/source.ts';
import { type FoundFiles, findFiles } from './find-files.ts';
import type { LogFile } from './read-log-file.ts';
import { statLogFile } from './scan-files.ts';

export interface LogRequest {
  /** Folders to search instead of each tool's default places; empty: the default places. */
  readonly sourceDirs: readonly string[];
  /** The platforms to scan; empty: all. */
  readonly platforms: readonly string[];
  readonly env: Environment;
}

/** The logs of a source. */
export interface FoundLogs extends Omit<FoundFiles, 'files'> {
  readonly source: Source;
  readonly files: readonly LogFile[];
}

/**
 * Finds the logs of the requested sources. A `--source-dir` that is not a folder is a usage error: a typing mistake must not
 * look like an empty log.
 */
export async function findLogs(request: LogRequest): Promise<readonly FoundLogs[]> {
  for (const dir of request.sourceDirs) await requireFolder(dir);
  return sourcesOf(request.platforms).map((source) => {
    const places = request.sourceDirs.length > 0 ? request.sourceDirs : source.places(request.env);
    return statLogFiles(
      source,
      findFiles(places, (path) => source.isLog(path)),
    );
  });
}

/** Reads the file status of each log. Omits files that were deleted since, and reports those whose status cannot be read. */
function statLogFiles(source: Source, { places, files, unreadable }: FoundFiles): FoundLogs {
  const logs: LogFile[] = [];
  const failed = [...unreadable];
  for (const path of files) {
    try {
      const file = statLogFile(source, path);
      if (file !== null) logs.push(file);
    } catch (error) {
      failed.push({ path, reason: reasonOf(error) });
    }
  }
  return { source, places, files: logs, unreadable: failed };
}

async function requireFolder(dir: string): Promise<void> {
  let reason = 'not a folder';
  try {
    if ((await stat(dir)).isDirectory()) return;
  } catch (error) {
    reason = reasonOf(error) === 'ENOENT' ? 'no such folder' : reasonOf(error);
  }
  const hint = "Give a folder that contains logs, or omit --source-dir to search each tool's default places.";
  throw new CliError('usage', 'source_dir_invalid', `--source-dir ${dir}: ${reason}`, hint);
}
