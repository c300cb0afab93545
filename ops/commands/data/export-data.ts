import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { loadConfig } from '../../../config/config.ts';
import { createAccounts } from '../../../engine/accounts/index.ts';
import {
  type Connection,
  MIGRATIONS,
  recordExport,
  requireFinishedImport,
  schemaVersion,
} from '../../../engine/mongo/index.ts';
import {
  type CommandContext,
  CommandError,
  type CommandOptions,
  logProgress,
  printResult,
} from '../command-context.ts';
import { withConnection } from '../service.ts';
import { writeChunk } from './chunk-files.ts';
import { type Chunk, documentsOf, FORMAT, type Manifest, readManifest, writeManifest } from './manifest.ts';
import { documentsAfter, exportedCollections, idOf } from './mongo/documents.ts';

/** Documents per file: the most that an interrupted export reads again. */
const CHUNK_DOCUMENTS = 20_000;
const NUMBER_DIGITS = 5;

/** Writes all data to a folder, chunk by chunk. An interrupted export resumes at the first missing chunk. */
export async function exportData(context: CommandContext, folder: string, options: CommandOptions): Promise<void> {
  await withConnection(context, async (connection) => {
    await requireFinishedImport(connection);
    await makeFolder(folder);
    const inClear = await secretsInClear(context, connection);
    const report = logProgress(context);
    const former = await readManifest(folder);
    if (former !== null && former.finished_at !== null) {
      throw new CommandError(`${folder} already holds an export`, 'Use a separate folder for each export.');
    }
    const manifest = former ?? (await begin(context, connection));
    await writeManifest(folder, manifest);
    for (const collection of manifest.collections) {
      while (!collection.done) {
        const chunk = await nextChunk(connection, folder, collection);
        if (chunk === null) collection.done = true;
        else collection.chunks.push(chunk);
        await writeManifest(folder, manifest);
        report(`${documentsOf(manifest)} documents exported; current collection: ${collection.name}.`);
      }
    }
    const finishedAt = context.clock();
    const finished = { ...manifest, finished_at: new Date(finishedAt).toISOString() };
    await writeManifest(folder, finished);
    // For the alert about its age. The export is complete without it.
    await recordExport(connection, finishedAt).catch((error: unknown) =>
      report(`Its time was not recorded: ${String(error)}`),
    );
    const documents = documentsOf(finished);
    const secrets =
      inClear > 0 ? `${inClear} unencrypted secrets` : 'personal data, and secrets encrypted with SECRETS_KEY';
    const text = `Exported ${documents} documents to ${folder}. It holds ${secrets}: protect it like the database.\n`;
    printResult(context, options, { folder, id: finished.id, documents }, text);
  });
}

/** @throws CommandError when it cannot be made, such as where a file is. */
async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    throw new CommandError(`${folder} is no folder, and none can be made there`, 'Give a new folder.', { cause });
  });
}

/** Counts the secrets that are stored unencrypted. @throws CommandError when there are any although a key is set. */
async function secretsInClear({ environment, clock }: CommandContext, connection: Connection): Promise<number> {
  const { clear } = await createAccounts({ connection, clock }).storedSecrets.count();
  if (clear > 0 && loadConfig(environment).secretsKeys.length > 0) {
    const next = 'Start the service with SECRETS_KEY, which encrypts them, then export.';
    throw new CommandError(`SECRETS_KEY is set, but ${clear} secrets are stored unencrypted`, next);
  }
  return clear;
}

async function begin({ clock }: CommandContext, connection: Connection): Promise<Manifest> {
  const { stored, known } = await schemaVersion(connection, MIGRATIONS);
  const names = await exportedCollections(connection);
  const collections = names.map((name) => ({ name, done: false, chunks: [] }));
  return {
    format: FORMAT,
    data_version: stored ?? known,
    id: randomUUID(),
    started_at: new Date(clock()).toISOString(),
    finished_at: null,
    collections,
  };
}

async function nextChunk(
  connection: Connection,
  folder: string,
  { name, chunks }: Manifest['collections'][number],
): Promise<Chunk | null> {
  const file = `${name}.${String(chunks.length).padStart(NUMBER_DIGITS, '0')}.bson.gz`;
  let documents = 0;
  let newest: Uint8Array | null = null;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const document of documentsAfter(connection, name, chunks.at(-1)?.last ?? null, CHUNK_DOCUMENTS)) {
      documents += 1;
      newest = document;
      yield document;
    }
  }
  const sha256 = await writeChunk(folder, file, counted());
  return newest === null ? null : { file, documents, sha256, last: idOf(newest) };
}
