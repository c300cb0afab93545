import { fileURLToPath } from 'node:url';
import type { Connection } from '../../engine/mongo/index.ts';
import { readChunk } from '../../ops/commands/data/chunk-files.ts';
import { readManifest } from '../../ops/commands/data/manifest.ts';
import { storeDocuments } from '../../ops/commands/data/mongo/documents.ts';

/** Data of version 3, and every board, profile and history as that release returned them. */
export const EXPORT = fileURLToPath(new URL('../fixtures/export-of-version-3/', import.meta.url));

/** Stores the documents of the export as they are. */
export async function storeExport(connection: Connection): Promise<void> {
  const manifest = await readManifest(EXPORT);
  for (const { name, chunks } of manifest!.collections) {
    for (const { file } of chunks) {
      const documents: Uint8Array[] = [];
      for await (const document of readChunk(EXPORT, file)) documents.push(document);
      await storeDocuments(connection, name, documents);
    }
  }
}
