import { constants, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isAccessible } from '../find-on-path.ts';
import { isFolderLocked } from './folder-lock.ts';

const FILE = 'run.json';

const RUN_NOTE = z.object({
  /** Process id of `npm start`. */
  pid: z.int(),
  /** ISO 8601. */
  started_at: z.string(),
  /** May contain credentials. */
  mongo_url: z.string(),
  redis_url: z.string(),
  base_url: z.string(),
  /** Issuer of the access tokens that the service accepts. */
  auth_url: z.string(),
});

/** Addresses of the service over a data folder, for the operator commands. */
export type RunNote = z.infer<typeof RUN_NOTE>;

/** The note of the running `npm start` over this data folder; null when none is running. */
export async function readRunNote(dataDir: string): Promise<RunNote | null> {
  const text = await readFile(join(dataDir, FILE), 'utf8').catch(() => null);
  if (text === null || !(await isFolderLocked(dataDir))) return null;
  try {
    return RUN_NOTE.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Whether there is a note at all: without a running `npm start`, the last one was killed. */
export function hasRunNote(dataDir: string): Promise<boolean> {
  return isAccessible(join(dataDir, FILE), constants.F_OK);
}

/** Writes the note, readable by its owner only: addresses may contain passwords. */
export async function writeRunNote(dataDir: string, note: RunNote): Promise<void> {
  const draft = join(dataDir, `${FILE}.${process.pid}`);
  await writeFile(draft, `${JSON.stringify(note, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(draft, join(dataDir, FILE));
}

export async function removeRunNote(dataDir: string): Promise<void> {
  await rm(join(dataDir, FILE), { force: true });
}
