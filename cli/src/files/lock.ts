import { link, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, reasonOf } from '../cli-error.ts';
import { linkOrCopy, makePrivateFolder, unwritable } from './private-files.ts';
import { tempFileName } from './temp-file-name.ts';

/** How long to wait for another run, in milliseconds: it holds the lock only while it writes. */
const MAX_WAIT_MS = 15_000;
const PAUSE_MS = 40;

/** A lock whose holder is unknown (another machine's, over a shared home) is taken over after this long, in milliseconds. */
const ABANDONED_MS = 60_000;

/** Does something while no other run does something under the same lock. A lock of a process that died is taken over. */
export async function withLock<T>(path: string, action: () => Promise<T>): Promise<T> {
  const mark = `${process.pid} ${tempFileName()}`;
  try {
    await makePrivateFolder(dirname(path));
  } catch (error) {
    throw unwritable(path, error);
  }
  await acquire(path, mark);
  try {
    return await action();
  } finally {
    // Taken over by a run that held this one for dead: the lock is theirs then.
    if ((await readSample(path)) === mark) await rm(path, { force: true });
  }
}

async function acquire(path: string, mark: string): Promise<void> {
  for (let waited = 0; ; waited += PAUSE_MS) {
    if (await create(path, mark)) return;
    const holder = await readSample(path);
    if (holder !== null && (await isAbandoned(path, holder))) await takeAway(path, holder);
    else if (waited >= MAX_WAIT_MS) {
      throw new CliError(
        'files',
        'locked',
        `another run of this tool keeps ${path} locked`,
        `Wait for it to end. If there is none, delete ${path}.`,
      );
    }
    await sleep(PAUSE_MS);
  }
}

/** A lock appears with its content, so that nobody sees one without a holder. */
async function create(path: string, mark: string): Promise<boolean> {
  const temporary = `${path}.${mark.split(' ')[1]}`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    await handle.writeFile(mark);
    await handle.close();
    await linkOrCopy(temporary, path);
    return true;
  } catch (error) {
    if (reasonOf(error) === 'EEXIST') return false;
    throw unwritable(path, error);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function readSample(path: string): Promise<string | null> {
  return await readFile(path, 'utf8').catch(() => null);
}

async function isAbandoned(path: string, holder: string): Promise<boolean> {
  const pid = Number(holder.split(' ')[0]);
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (reasonOf(error) === 'ESRCH') return true;
  }
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  return age > ABANDONED_MS;
}

/** Moves an abandoned lock away. If it turns out that a new holder's was moved, it is put back. */
async function takeAway(path: string, holder: string): Promise<void> {
  const aside = `${path}.${tempFileName()}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  if ((await readSample(aside)) !== holder) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}
