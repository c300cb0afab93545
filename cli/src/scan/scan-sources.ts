import { stat } from 'node:fs/promises';
import { CliError, reasonOf } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import { SOURCES } from '../sources/registry.ts';
import type { SourceScan } from '../sources/source.ts';

/**
 * Scans every source, in the named folders or else in each tool's own places. A named folder that is none is a usage
 * error: a typing mistake must not look like an empty log.
 */
export async function scanSources(sourceDirs: readonly string[], env: Environment): Promise<readonly SourceScan[]> {
  for (const dir of sourceDirs) await requireFolder(dir);
  const scans: SourceScan[] = [];
  for (const load of SOURCES) {
    const source = await load();
    scans.push(await source.scan(sourceDirs.length > 0 ? sourceDirs : source.places(env)));
  }
  return scans;
}

async function requireFolder(dir: string): Promise<void> {
  let reason = 'it is not a folder';
  try {
    if ((await stat(dir)).isDirectory()) return;
  } catch (error) {
    reason = reasonOf(error) === 'ENOENT' ? 'there is no such folder' : reasonOf(error);
  }
  throw new CliError('usage', 'source_dir_invalid', `--source-dir ${dir}: ${reason}`);
}
