import { createAccounts } from '../../../engine/accounts/index.ts';
import { type Connection, importState, MIGRATIONS, migrate, requireReadable } from '../../../engine/mongo/index.ts';
import { createRanking, type Ranking } from '../../../engine/ranking/index.ts';
import {
  type CommandContext,
  CommandError,
  type CommandOptions,
  logProgress,
  printResult,
  requireConfirmation,
} from '../command-context.ts';
import { withConnection } from '../service.ts';
import { readChunk, requireChunk } from './chunk-files.ts';
import { documentsOf, type Manifest, readManifest } from './manifest.ts';
import { isEmpty, storeDocuments } from './mongo/documents.ts';

/** Limits of one insert command. */
const COMMAND_BYTES = 8 * 1024 * 1024;
const COMMAND_DOCUMENTS = 1_000;

/** The manifest of an export that can be imported. @throws CommandError, DataVersionError before anything was made. */
export async function requireExport(folder: string, options: CommandOptions): Promise<Manifest> {
  const manifest = await readManifest(folder);
  if (manifest === null)
    throw new CommandError(`${folder} contains no export`, 'Give a folder that "data export" wrote.');
  if (manifest.finished_at === null) {
    throw new CommandError('the export is incomplete', `Finish it first: data export ${folder}`);
  }
  requireReadable(manifest.data_version, MIGRATIONS);
  requireConfirmation(options, `this fills the database with the export of ${manifest.started_at}`);
  return manifest;
}

/**
 * Fills an empty database with an export. An interrupted import resumes. At the end it recomputes from the log the operators
 * that got verdicts during the export, and rebuilds a board that differs from its operators.
 */
export async function importData(
  context: CommandContext,
  folder: string,
  manifest: Manifest,
  options: CommandOptions,
): Promise<void> {
  await withConnection(context, async (connection) => {
    const state = importState(connection);
    const stored = await storedBefore(connection, state, manifest);
    const report = logProgress(context);
    const all = documentsOf(manifest);
    let done = 0;
    for (const { name, chunks } of manifest.collections) {
      for (const { file, sha256, documents } of chunks) {
        if (!stored.has(file)) {
          await requireChunk(folder, file, sha256);
          await storeChunk(connection, name, readChunk(folder, file));
          await state.stored(file);
        }
        done += documents;
        report(`${done} of ${all} documents stored.`);
      }
    }
    await migrate(connection, { migrations: MIGRATIONS, clock: context.clock, duringImport: true });
    const ranking = await openRanking(connection, context.clock);
    const repaired = await repairImported(ranking, Date.parse(manifest.started_at), report);
    await state.end();
    printResult(
      context,
      options,
      { id: manifest.id, documents: all, ...repaired },
      `Imported ${all} documents. Recomputed ${repaired.recomputed} operators and ${repaired.differing} parts of the board.\n` +
        'Now repeat the erasures made since the export: erasures replay FILE\n',
    );
  });
}

/** File names of chunks that an interrupted import stored. */
async function storedBefore(
  connection: Connection,
  state: ReturnType<typeof importState>,
  { id }: Manifest,
): Promise<ReadonlySet<string>> {
  const former = await state.read();
  if (former?.id === id) return new Set(former.stored);
  if (former !== null)
    throw new CommandError(
      'the database holds an unfinished import of another export',
      'Finish it, or use an empty database.',
    );
  if (!(await isEmpty(connection))) {
    const next = 'Import into an empty database: existing data are never merged.';
    throw new CommandError('the database is not empty', next);
  }
  await state.begin(id);
  return new Set();
}

async function storeChunk(connection: Connection, name: string, documents: AsyncIterable<Uint8Array>): Promise<void> {
  let batch: Uint8Array[] = [];
  let bytes = 0;
  for await (const document of documents) {
    batch.push(document);
    bytes += document.length;
    if (bytes < COMMAND_BYTES && batch.length < COMMAND_DOCUMENTS) continue;
    await storeDocuments(connection, name, batch);
    [batch, bytes] = [[], 0];
  }
  await storeDocuments(connection, name, batch);
}

async function openRanking(connection: Connection, clock: () => number): Promise<Ranking> {
  const accounts = createAccounts({ connection, clock });
  const ranking = createRanking({
    connection,
    clock,
    deviceKeys: accounts.deviceKeys,
    sharedSecret: accounts.sharedSecret,
  });
  await Promise.all([accounts.ensureIndexes(), ranking.ensureIndexes()]);
  return ranking;
}

/** An export of a running service is no consistent snapshot: collections are read one after another. Repairs the differences. */
async function repairImported(
  { ensureBoard, repair }: Pick<Ranking, 'ensureBoard' | 'repair'>,
  since: number,
  report: (text: string) => void,
) {
  await ensureBoard();
  const operators = await repair.processedSince(since);
  await repair.recomputeAll(operators, (done) => report(`${done} of ${operators.length} operators recomputed.`));
  // Runs delete former boards of platforms at once, also while they are exported.
  const findings = [...(await repair.verifyBoard()), ...(await repair.verifyPlatforms(false)).findings];
  if (findings.length > 0) await repair.repair(findings);
  return { recomputed: operators.length, differing: findings.length };
}
