import { readFileSync, utimesSync } from 'node:fs';
import { link, lstat, readFile, rename, rm, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, reasonOf } from '../cli-error.ts';
import { createPrivateFile, tempFileName } from './private-files.ts';

/** How long to wait for another run, in milliseconds. */
const MAX_WAIT_MS = 15_000;
const PAUSE_MS = 40;

/** Age after which a lock of a holder on another machine (shared home folder) is broken, in milliseconds. */
const ABANDONED_MS = 60_000;

/** How often a holder renews its lock, in milliseconds. */
const RENEWAL_MS = 10_000;

/** Whether this run still holds the lock: another one breaks it when this machine was suspended for long. */
export type IsHeld = () => boolean;

/** Runs an action under an exclusive lock. Breaks the lock of a process that died. */
export async function withLock<T>(
  path: string,
  action: (isHeld: IsHeld) => Promise<T>,
  maxWaitMs = MAX_WAIT_MS,
): Promise<T> {
  const holder = `${process.pid} ${tempFileName()}`;
  await acquire(path, holder, maxWaitMs);
  const isHeld = (): boolean => isSame(path, holder);
  const renewal = setInterval(() => isHeld() && utimesSync(path, new Date(), new Date()), RENEWAL_MS).unref();
  try {
    return await action(isHeld);
  } finally {
    clearInterval(renewal);
    // Another run may have broken this lock: then it is that run's.
    if ((await readHolder(path)) === holder) await rm(path, { force: true });
  }
}

async function acquire(path: string, holder: string, maxWaitMs: number): Promise<void> {
  for (let waited = 0; !(await createPrivateFile(path, holder)); waited += PAUSE_MS) {
    const other = await readHolder(path);
    if (other !== null && (await isAbandoned(path, other))) await breakLock(path, other);
    else if (waited >= maxWaitMs) {
      const hint = `Wait for it to end. If there is none, delete ${path}.`;
      throw new CliError('files', 'locked', `another run of this tool holds the lock ${path}`, hint);
    }
    await sleep(PAUSE_MS);
  }
}

function isSame(path: string, holder: string): boolean {
  try {
    return readFileSync(path, 'utf8') === holder;
  } catch {
    return false;
  }
}

async function readHolder(path: string): Promise<string | null> {
  // Reading a FIFO would wait forever.
  const found = await lstat(path).catch(() => null);
  return found?.isFile() === true ? await readFile(path, 'utf8').catch(() => null) : null;
}

/** Whether no process of this machine has this id. */
export function isDead(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return reasonOf(error) === 'ESRCH';
  }
}

async function isAbandoned(path: string, holder: string): Promise<boolean> {
  if (isDead(Number(holder.split(' ')[0]))) return true;
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > ABANDONED_MS;
}

/** Renames an abandoned lock and deletes it. Puts it back if another run has taken it in the meantime. */
async function breakLock(path: string, holder: string): Promise<void> {
  const aside = `${path}.${tempFileName()}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  if ((await readHolder(aside)) !== holder) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}
