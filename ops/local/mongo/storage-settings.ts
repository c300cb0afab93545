import { writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { MIB } from '../../../config/units.ts';

/** The storage engine reads this file when it opens a directory; it overrides the server's settings. */
const STORAGE_SETTINGS = 'WiredTiger.config';

/** Every commit writes its journal record to the operating system before it is acknowledged, without fsync. */
const COMMITS_REACH_THE_SYSTEM = 'transaction_sync=(enabled=true,method=none)';

/** The engine's default, too little for the records of half a million operators. */
const MIN_CACHE_MIB = 256;
const CACHE_SHARE = 1 / 8;

/**
 * Configures an embedded engine over `directory` so that acknowledged writes survive a kill of the process, and sizes its
 * cache for the machine.
 *
 * By default it acknowledges a write with `j: true` before the write is journaled, because its commands run as internal
 * commands of the server, and such commands do not wait for a write concern. An fsync per commit would take six times as
 * long, since an update of many documents commits each one separately; the journal reaches the disk within milliseconds.
 */
export async function writeStorageSettings(directory: string): Promise<void> {
  const settings = [COMMITS_REACH_THE_SYSTEM, `cache_size=${cacheMib(totalmem())}MB`];
  await writeFile(join(directory, STORAGE_SETTINGS), `${settings.join(',')}\n`);
}

/** Cache size in MiB for a machine with `memoryBytes` of memory; the cache fills as data are read. */
export function cacheMib(memoryBytes: number): number {
  return Math.max(MIN_CACHE_MIB, Math.floor((memoryBytes * CACHE_SHARE) / MIB));
}
