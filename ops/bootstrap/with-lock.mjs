import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Interval of attempts to take the lock, in milliseconds. */
const RETRY_INTERVAL_MS = 200;

/**
 * Runs `work` under an exclusive lock file, waiting until it is free. The lock of a killed process is taken over.
 *
 * @param {string} path
 * @param {() => void} work
 */
export function withLock(path, work) {
  let waiting = false;
  while (!takeLock(path)) {
    if (!waiting) process.stderr.write('Another process is installing the packages; waiting for it …\n');
    waiting = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_INTERVAL_MS);
  }
  try {
    work();
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
  if (!alive(holder(path))) rmSync(path, { force: true });
  return false;
}

function holder(path) {
  try {
    return Number(readFileSync(path, 'utf8')) || 0;
  } catch {
    return 0;
  }
}

function alive(pid) {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
