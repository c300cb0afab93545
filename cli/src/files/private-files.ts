import { constants, copyFile, link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CliError, reasonOf, reasonText } from '../cli-error.ts';
import { objectOf } from '../json.ts';
import { type OwnedKind, requireOwned } from './ownership.ts';

const PRIVATE_FOLDER_MODE = 0o700;
const PRIVATE_FILE_MODE = 0o600;

const TEMPORARY = '.tmp';

/** A temporary file older than this is from a run that was killed while it wrote, in milliseconds. */
const LEFTOVER_AGE_MS = 60 * 60 * 1000;

/** Reads one of the tool's files; undefined when it does not exist. Throws a `files` error when it cannot be read or trusted. */
export async function readPrivateFile(path: string, kind: Exclude<OwnedKind, 'folder'>): Promise<Buffer | undefined> {
  try {
    await requireOwned(dirname(path), 'folder');
    await requireOwned(path, kind);
    return await readFile(path);
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (reasonOf(error) === 'ENOENT') return undefined;
    const hint = 'Allow it, or give another settings folder with --config-dir.';
    throw new CliError('files', 'file_unreadable', `${path} cannot be read: ${reasonText(reasonOf(error))}`, hint);
  }
}

/** As `readPrivateFile`, parsed as JSON. Also throws a `files` error when it is not JSON. */
export async function readPrivateJson(path: string, kind: Exclude<OwnedKind, 'folder'> = 'state'): Promise<unknown> {
  const content = await readPrivateFile(path, kind);
  if (content === undefined) return undefined;
  try {
    return JSON.parse(content.toString('utf8'));
  } catch {
    throw damagedFileError(path);
  }
}

/** The valid entries of a list in one of the tool's JSON files; none when there is no file. */
export async function readPrivateList<T>(
  path: string,
  name: string,
  isValid: (value: unknown) => value is T,
): Promise<readonly T[]> {
  const listed = objectOf(await readPrivateJson(path))[name];
  return Array.isArray(listed) ? listed.filter(isValid) : [];
}

/** The error for a file whose content is not what the tool wrote. Such a file is never overwritten: it may be the only copy. */
export function damagedFileError(path: string): CliError {
  const hint = 'Restore it from a backup, or move it away to start with an empty one.';
  return new CliError('files', 'file_damaged', `${path} is damaged`, hint);
}

/** Replaces a JSON file atomically, readable only by its owner. */
export function writePrivateJson(path: string, value: unknown): Promise<void> {
  return withTemporary(path, `${JSON.stringify(value, null, 2)}\n`, (temporary) => rename(temporary, path));
}

/** Creates a file; false, without changing it, when it already exists. When two runs race, one wins. */
export async function createPrivateFile(path: string, content: string): Promise<boolean> {
  let created = true;
  await withTemporary(path, content, async (temporary) => {
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

/** Publishes a complete file under a new name: a hard link, or an exclusive copy where the file system has no links. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (reasonOf(error) === 'EEXIST') throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
}

/** Removes temporary files of earlier runs that were killed while they wrote this file. */
async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(`${basename(path)}.`) || !name.endsWith(TEMPORARY)) continue;
    const found = await stat(join(folder, name)).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > LEFTOVER_AGE_MS) await rm(join(folder, name), { force: true });
  }
}

/** Writes a temporary file, whose folder is created if it does not exist, and publishes it. Throws a `files` error. */
async function withTemporary(
  path: string,
  content: string,
  publish: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${tempFileName()}${TEMPORARY}`;
  await removeLeftovers(path);
  try {
    await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER_MODE });
    await requireOwned(dirname(path), 'folder');
    const handle = await open(temporary, 'wx', PRIVATE_FILE_MODE);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await publish(temporary);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    if (error instanceof CliError) throw error;
    const why = reasonText(reasonOf(error));
    const hint = 'Free space or grant write access, or use another folder with --config-dir. --dry-run writes nothing.';
    throw new CliError('files', 'file_unwritable', `${path} cannot be written: ${why}`, hint);
  }
}

/** A name that no concurrent run uses. Files are created exclusively, so it needs no `node:crypto`, which is slow to load. */
export function tempFileName(): string {
  return `${process.pid.toString(36)}${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`;
}
