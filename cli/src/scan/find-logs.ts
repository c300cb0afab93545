import { stat } from 'node:fs/promises';
import { CliError, reasonOf } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import { sourcesOf } from '../sources/registry.ts';
import type { Source } from '../sources/source.ts';
import { type FoundFiles, findFiles } from './find-files.ts';
import type { LookedAt } from './read-into.ts';
import { lookAt } from './scan-files.ts';

/** Which logs to look for. */
export interface LogRequest {
  /** Folders to look in instead of each tool's own; empty = each tool's own. */
  readonly sourceDirs: readonly string[];
  /** The platforms to scan; empty = all. */
  readonly platforms: readonly string[];
  readonly env: Environment;
}

/** What was found of a source. */
export interface FoundLogs extends Omit<FoundFiles, 'files'> {
  readonly source: Source;
  readonly files: readonly LookedAt[];
}

/**
 * Finds the logs of every source that is asked for, and looks at them. A named folder that is none is a usage error: a typing
 * mistake must not look like an empty log.
 */
export async function findLogs(request: LogRequest): Promise<readonly FoundLogs[]> {
  for (const dir of request.sourceDirs) await requireFolder(dir);
  return sourcesOf(request.platforms).map((source) => {
    const places = request.sourceDirs.length > 0 ? request.sourceDirs : source.places(request.env);
    return lookAtAll(
      source,
      findFiles(places, (path) => source.isLog(path)),
    );
  });
}

/** Looks at what was found; files that are gone by now are no news, and those that cannot be looked at are told. */
function lookAtAll(source: Source, { places, files, unreadable }: FoundFiles): FoundLogs {
  const looked: LookedAt[] = [];
  const hidden = [...unreadable];
  for (const path of files) {
    try {
      const file = lookAt(source, path);
      if (file !== null) looked.push(file);
    } catch (error) {
      hidden.push({ path, reason: reasonOf(error) });
    }
  }
  return { source, places, files: looked, unreadable: hidden };
}

async function requireFolder(dir: string): Promise<void> {
  let reason = 'it is not a folder';
  try {
    if ((await stat(dir)).isDirectory()) return;
  } catch (error) {
    reason = reasonOf(error) === 'ENOENT' ? 'there is no such folder' : reasonOf(error);
  }
  const hint = "Name a folder that holds logs, or leave --source-dir out to look in each tool's own places.";
  throw new CliError('usage', 'source_dir_invalid', `--source-dir ${dir}: ${reason}`, hint);
}
