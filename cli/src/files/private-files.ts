import { constants, copyFile, link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CliError, reasonOf } from '../cli-error.ts';
import { type OwnedKind, requireOwned } from './ownership.ts';
import { tempFileName } from './temp-file-name.ts';

const PRIVATE_FOLDER_MODE = 0o700;
const PRIVATE_FILE_MODE = 0o600;

const TEMPORARY = '.tmp';

/** A temporary file this old is a run's that was ended while it wrote, in milliseconds. */
const LEFT_OVER_MS = 60 * 60 * 1000;

/** Reads a file of the tool's own; undefined when there is none. Throws a `files` error when it cannot be read or trusted. */
export async function readPrivateFile(path: string, kind: Exclude<OwnedKind, 'folder'>): Promise<Buffer | undefined> {
  try {
    await requireOwned(dirname(path), 'folder');
    await requireOwned(path, kind);
    return await readFile(path);
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (reasonOf(error) === 'ENOENT') return undefined;
    throw new CliError('files', 'file_unreadable', `${path} cannot be read: ${reasonOf(error)}`);
  }
}

/** Reads a JSON file as `readPrivateFile` does. Throws a `files` error as well when it is no JSON. */
export async function readPrivateJson(path: string, kind: Exclude<OwnedKind, 'folder'> = 'state'): Promise<unknown> {
  const content = await readPrivateFile(path, kind);
  if (content === undefined) return undefined;
  try {
    return JSON.parse(content.toString('utf8'));
  } catch {
    throw damaged(path);
  }
}

/** The error for a file of ours that does not hold what we wrote. It is never overwritten: it may be all there is. */
export function damaged(path: string): CliError {
  return new CliError(
    'files',
    'file_damaged',
    `${path} is damaged`,
    'Restore it from a backup, or move it away to start afresh.',
  );
}

/** Makes the folder of the tool's own files if there is none. Throws a `files` error when it cannot be made or trusted. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  await requireOwned(folder, 'folder');
}

/** Replaces a file whole or not at all, readable by its owner alone. */
export async function writePrivateFile(path: string, content: string | readonly Buffer[]): Promise<void> {
  await withTemporary(path, content, (temporary) => rename(temporary, path));
}

/** Replaces a JSON file whole or not at all, readable by its owner alone. */
export function writePrivateJson(path: string, value: unknown): Promise<void> {
  return writePrivateFile(path, jsonText(value));
}

/** Writes a file that must not exist yet; false, and nothing touched, when it does. Of two that race one wins. */
export async function createPrivateJson(path: string, value: unknown): Promise<boolean> {
  let created = true;
  await withTemporary(path, jsonText(value), async (temporary) => {
    try {
      await linkOrCopy(temporary, path);
    } catch (error) {
      if (reasonOf(error) !== 'EEXIST') throw error;
      created = false;
    }
    await rm(temporary);
  });
  return created;
}

/** A hard link appears whole; file systems without links get an exclusive copy. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (reasonOf(error) === 'EEXIST') throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Removes what earlier runs left beside a file when they were ended while they wrote it. */
async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(`${basename(path)}.`) || !name.endsWith(TEMPORARY)) continue;
    const found = await stat(join(folder, name)).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > LEFT_OVER_MS) await rm(join(folder, name), { force: true });
  }
}

/** A file of the tool's own that cannot be written. */
export function unwritable(path: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const reason = reasonOf(error);
  const why = reason === 'ENOSPC' ? 'the disk is full' : reason;
  const hint = 'Make room or give write access, or name another folder with --config-dir. --dry-run writes nothing.';
  return new CliError('files', 'file_unwritable', `${path} cannot be written: ${why}`, hint);
}

async function withTemporary(
  path: string,
  content: string | readonly Buffer[],
  place: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${tempFileName()}${TEMPORARY}`;
  await removeLeftovers(path);
  try {
    await makePrivateFolder(dirname(path));
    const handle = await open(temporary, 'wx', PRIVATE_FILE_MODE);
    try {
      for (const part of typeof content === 'string' ? [content] : content) await handle.writeFile(part);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await place(temporary);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw unwritable(path, error);
  }
}
