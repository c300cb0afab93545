import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Takes the lock of an existing folder; null when another process has it. The lock is a listening local socket named after the
 * folder. The kernel lets one process at a time listen and closes the socket when that process ends, so that there are no stale
 * locks.
 */
export async function lockFolder(folder: string) {
  const name = socketName(folder);
  if (await isFolderLocked(folder)) return null;
  // Except on Linux the socket is a file, which a killed process leaves behind.
  if (!name.startsWith('\0')) await rm(name, { force: true });
  const server = createServer((socket) => socket.destroy());
  if (!(await listens(server, name))) return null;
  server.unref();
  return { release: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

/** Whether a process has the folder's lock. */
export async function isFolderLocked(folder: string): Promise<boolean> {
  const socket = connect(socketName(folder));
  return new Promise((resolve) => {
    const finish = (locked: boolean) => {
      socket.destroy();
      resolve(locked);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}

async function listens(server: Server, name: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(name, () => resolve(true));
  });
}

function socketName(folder: string): string {
  const name = `upsilon-${createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 32)}`;
  return process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.sock`);
}
