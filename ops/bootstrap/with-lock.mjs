import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Interval of attempts to take the lock, in milliseconds. */
const RETRY_INTERVAL_MS = 200;

/**
 * Runs `work` under an exclusive lock file, waiting until it is free. The file has the ids of this process and of those that
 * `work` adds; the lock is taken over when none of them runs any more.
 *
 * @param {string} path
 * @param {(addHolder: (pid: number) => void) => Promise<void>} work
 */
export async function withLock(path, work) {
  let waiting = false;
  while (!takeLock(path)) {
    if (!waiting) process.stderr.write('Another process is installing the packages; waiting for it …\n');
    waiting = true;
    await sleep(RETRY_INTERVAL_MS);
  }
  try {
    await work((pid) => writeFileSync(path, `${process.pid} ${pid}`));
  } finally {
    rmSync(path, { force: true });
  }
}

function takeLock(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (!holders(path).some(alive)) rmSync(path, { force: true });
  return false;
}

function holders(path) {
  try {
    return readFileSync(path, 'utf8').split(' ').map(Number);
  } catch {
    return [];
  }
}

function alive(pid) {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
