import { constants, copyFile, link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CliError, reasonOf } from '../cli-error.ts';
import { passingName } from './passing-name.ts';

const PRIVATE_FOLDER_MODE = 0o700;
const PRIVATE_FILE_MODE = 0o600;

/** Reads a JSON file; undefined when there is none. Throws a `files` error when it cannot be read or is no JSON. */
export async function readPrivateJson(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (reasonOf(error) === 'ENOENT') return undefined;
    throw new CliError('files', 'file_unreadable', `${path} cannot be read: ${reasonOf(error)}`);
  }
  try {
    return JSON.parse(text);
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
async function linkOrCopy(from: string, to: string): Promise<void> {
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

async function withTemporary(
  path: string,
  content: string | readonly Buffer[],
  place: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${passingName()}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER_MODE });
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
    throw new CliError('files', 'file_unwritable', `${path} cannot be written: ${reasonOf(error)}`);
  }
}
