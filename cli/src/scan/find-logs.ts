import { stat } from 'node:fs/promises';
import { CliError, reasonOf, reasonText } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import type { Settings } from '../settings.ts';
import { sourcesOf } from '../sources/registry.ts';
import type { Source } from '../sources/source.ts';
import { findFiles } from './find-files.ts';
import { type LogFile, statLogFile } from './read-log-file.ts';

/** The logs of a source. */
export type FoundLogs = ReturnType<typeof findLogsOf>;

/** A `--source-dir` that is not a folder is a usage error: a typing mistake must not look like an empty log. */
export async function findLogs({ sourceDirs, platforms }: Settings, env: Environment): Promise<readonly FoundLogs[]> {
  for (const dir of sourceDirs) await requireFolder(dir);
  return sourcesOf(platforms).map((source) =>
    findLogsOf(source, sourceDirs.length > 0 ? sourceDirs : source.places(env)),
  );
}

/** Omits files that were deleted meanwhile, and reports those whose status cannot be read. */
function findLogsOf(source: Source, searched: readonly string[]) {
  const { places, files, unreadable } = findFiles(searched, (path) => source.isLog(path));
  const logs: LogFile[] = [];
  for (const path of files) {
    try {
      const file = statLogFile(source, path);
      if (file !== null) logs.push(file);
    } catch (error) {
      unreadable.push({ path, reason: reasonOf(error) });
    }
  }
  return { source, places, files: logs, unreadable };
}

async function requireFolder(dir: string): Promise<void> {
  let reason = 'not a folder';
  try {
    if ((await stat(dir)).isDirectory()) return;
  } catch (error) {
    reason = reasonOf(error) === 'ENOENT' ? 'no such folder' : reasonText(reasonOf(error));
  }
  const hint = "Give a folder that contains logs, or omit --source-dir to search each tool's default places.";
  throw new CliError('usage', 'source_dir_invalid', `--source-dir ${dir}: ${reason}`, hint);
}
