import { readFileSync } from 'node:fs';

/** Between two looks at whether npm is still there, in milliseconds. */
const LOOK_EVERY_MS = 500;

/**
 * Calls back when npm, which started this process, is gone without a word: a killed npm leaves its script running. Outside
 * of npm nothing is watched, since a shell that ends may well mean to leave this process running.
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
  }, LOOK_EVERY_MS);
  timer.unref();
}

/** The parent, and the parent's parent when a shell stands between npm and this process. */
function lineage() {
  const parent = process.ppid;
  try {
    const stat = readFileSync(`/proc/${parent}/stat`, 'latin1');
    // `pid (name) state ppid …`, where the name may hold anything.
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const [, grandparent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return /^(sh|dash|ash|bash|busybox)$/.test(name) ? `${parent} ${grandparent}` : `${parent}`;
  } catch {
    return `${parent}`;
  }
}
