import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Between two looks at whether the other process is done, in milliseconds. */
const LOOK_EVERY_MS = 200;

/**
 * Runs `work` while no other process does, waiting for one that is at it. A lock left by a killed process is taken over.
 *
 * @param {string} path
 * @param {() => void} work
 */
export function withLock(path, work) {
  let waiting = false;
  while (!taken(path)) {
    if (!waiting) process.stderr.write('Another process is installing the packages; waiting for it …\n');
    waiting = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_EVERY_MS);
  }
  try {
    work();
  } finally {
    rmSync(path, { force: true });
  }
}

function taken(path) {
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
