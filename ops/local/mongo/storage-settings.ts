import { writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';

/** Read by the storage engine when it opens a directory, after what the server asks for. */
const STORAGE_SETTINGS = 'WiredTiger.config';

/** Every commit hands its journal record to the operating system before it is answered, and leaves the disk to it. */
const COMMITS_REACH_THE_SYSTEM = 'transaction_sync=(enabled=true,method=none)';

const MIB = 1024 * 1024;
/** What the engine takes when nobody says: too little for the records of half a million operators. */
const MIN_CACHE_MIB = 256;
const CACHE_SHARE = 1 / 8;

/**
 * Makes an embedded engine that is opened over `directory` keep what it acknowledged when it is killed, and records in
 * memory as far as the machine allows.
 *
 * Left to itself it answers a write with `j: true` at once and journals it afterwards, because its commands run as if the
 * server had sent them to itself, and such commands wait for no write concern. Forcing each commit to the disk would cost six
 * times as long, for updates of many documents commit one by one; the journal follows to the disk within milliseconds.
 */
export async function writeStorageSettings(directory: string): Promise<void> {
  const settings = [COMMITS_REACH_THE_SYSTEM, `cache_size=${cacheMib(totalmem())}MB`];
  await writeFile(join(directory, STORAGE_SETTINGS), `${settings.join(',')}\n`);
}

/** The cache's size on a machine with so many bytes of memory, in MiB: it fills as data are touched. */
export function cacheMib(memoryBytes: number): number {
  return Math.max(MIN_CACHE_MIB, Math.floor((memoryBytes * CACHE_SHARE) / MIB));
}
