import { readFileSync } from 'node:fs';

/** Interval of checks whether npm is running, in milliseconds. */
const CHECK_INTERVAL_MS = 500;

/**
 * Calls back when npm, which started this process, exits without a signal: a killed npm leaves its script running. Without
 * npm nothing is watched, since a shell that exits may intend to leave this process running.
 *
 * @param {() => void} orphaned
 */
export function onOrphaned(orphaned) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const before = lineage();
  const timer = setInterval(() => {
    if (lineage() === before) return;
    clearInterval(timer);
    orphaned();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}

/** Process ids of the parent, and of its parent when a shell is between npm and this process. */
function lineage() {
  const parent = process.ppid;
  try {
    const stat = readFileSync(`/proc/${parent}/stat`, 'latin1');
    // `pid (name) state ppid …`, where the name may contain any character.
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const [, grandparent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return /^(sh|dash|ash|bash|busybox)$/.test(name) ? `${parent} ${grandparent}` : `${parent}`;
  } catch {
    return `${parent}`;
  }
}
