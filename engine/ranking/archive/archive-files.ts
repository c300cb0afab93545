import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What is staged is never served: it has no name of an archive's file. */
const staged = (path: string): string => `${path}.new`;

export async function stageFile(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(staged(path), content, { flush: true });
}

/** Puts the staged file in its place, so that readers see either content; durable with its folder. Without one it is there already. */
export async function placeFile(path: string): Promise<void> {
  await rename(staged(path), path).catch(nullIfMissing);
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export async function writeWhole(path: string, content: string): Promise<void> {
  await stageFile(path, content);
  await placeFile(path);
}

/** Null where there is no such file. */
export const readIfThere = (path: string): Promise<Buffer | null> => readFile(path).catch(nullIfMissing);

export const sha256Of = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

function nullIfMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
