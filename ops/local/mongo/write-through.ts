import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Read by the storage engine when it opens a directory, after what the server asks for. */
const STORAGE_SETTINGS = 'WiredTiger.config';

/** Every commit hands its journal record to the operating system before it is answered, and leaves the disk to it. */
const COMMITS_REACH_THE_SYSTEM = 'transaction_sync=(enabled=true,method=none)\n';

/**
 * Makes an embedded engine that is opened over `directory` keep what it acknowledged when it is killed. Left to itself it
 * answers a write with `j: true` at once and journals it afterwards, because its commands run as if the server had sent
 * them to itself, and such commands wait for no write concern. Forcing each commit to the disk would cost six times as
 * long, for updates of many documents commit one by one; the journal follows to the disk within milliseconds.
 */
export async function writeThrough(directory: string): Promise<void> {
  await writeFile(join(directory, STORAGE_SETTINGS), COMMITS_REACH_THE_SYSTEM);
}
