import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandError } from '../command-context.ts';

/** Format version; raise it when older programs could no longer read the export. */
export const FORMAT = 1;

const CHUNK = z.object({
  file: z.string().regex(/^[a-z_]+\.\d{5}\.bson\.gz$/),
  documents: z.int().min(1),
  sha256: z.string(),
  /** The last `_id`: base64 of the BSON document `{ _id }`. */
  last: z.string(),
});

const MANIFEST = z.object({
  format: z.int(),
  /** Schema version of the data; exports before version 11 do not state it. */
  data_version: z.int().default(0),
  id: z.string(),
  started_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
  collections: z.array(z.object({ name: z.string(), done: z.boolean(), chunks: z.array(CHUNK) })),
});

export type Chunk = z.infer<typeof CHUNK>;

/** Contents of an export: chunks of documents by collection, in the order in which they were read. */
export type Manifest = z.infer<typeof MANIFEST>;

/** Number of documents in all collections. */
export function documentsOf({ collections }: Manifest): number {
  return collections.flatMap(({ chunks }) => chunks).reduce((sum, { documents }) => sum + documents, 0);
}

const path = (folder: string): string => join(folder, 'manifest.json');

/**
 * The manifest of an export; null when the folder has none.
 * @throws CommandError when it is malformed or has another format.
 */
export async function readManifest(folder: string): Promise<Manifest | null> {
  const text = await readFile(path(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const parsed = MANIFEST.safeParse(JSON.parse(text));
  if (!parsed.success)
    throw new CommandError(`${path(folder)} is not the manifest of an export`, 'Give another folder.');
  if (parsed.data.format === FORMAT) return parsed.data;
  const next = 'Use the program version that wrote it.';
  throw new CommandError(`the export has format ${parsed.data.format}, and this program reads ${FORMAT}`, next);
}

/** Replaces the manifest atomically. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(`${path(folder)}.new`, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${path(folder)}.new`, path(folder));
}
