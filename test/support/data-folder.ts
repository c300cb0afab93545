import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm';
/** Space that the engines of a run need at most, in bytes. */
const ROOM_BYTES = 2 * 2 ** 30;

/** Creates a folder for an engine's data, in memory if there is space: creating a collection or an index waits for the disk. */
export async function makeDataFolder(prefix: string): Promise<string> {
  const room = await statfs(MEMORY).catch(() => null);
  const parent = room !== null && room.bavail * room.bsize >= ROOM_BYTES ? MEMORY : tmpdir();
  return mkdtemp(join(parent, prefix));
}
