import { createAccounts } from '../../../engine/accounts/index.ts';
import { type Connection, MIGRATIONS, migrate } from '../../../engine/mongo/index.ts';
import { createRanking, type Ranking } from '../../../engine/ranking/index.ts';
import { type CommandContext, printJson } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { logProgress } from '../log-progress.ts';
import { requireConfirmation } from '../require-confirmation.ts';
import { withConnection } from '../with-connection.ts';
import { readChunk, requireChunk } from './chunk-files.ts';
import { documentsOf, type Manifest, readManifest } from './manifest.ts';
import { isEmpty, storeDocuments } from './mongo/documents.ts';
import { importState } from './mongo/import-state.ts';

/** Bytes of documents stored by one command. */
const COMMAND_BYTES = 8 * 1024 * 1024;
const DOCUMENTS_A_COMMAND = 1_000;

interface ImportRequest {
  readonly folder: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/**
 * Fills an empty database with an export. One that was cut short goes on where it was. In the end operators who were judged
 * while the export was written are folded anew from the log, and a board that does not fit its operators is made anew.
 */
export async function importData(context: CommandContext, { folder, yes, json }: ImportRequest): Promise<void> {
  const manifest = await readManifest(folder);
  if (manifest === null) throw new CommandError(`${folder} holds no export`, 'Give a folder that "data export" wrote.');
  if (manifest.finished_at === null) {
    throw new CommandError('the export was cut short', `Finish it first: data export ${folder}`);
  }
  await withConnection(context, async (connection) => {
    requireConfirmation(yes, `this fills the database with the export of ${manifest.started_at}`);
    const state = importState(connection);
    const stored = await storedBefore(connection, state, manifest);
    const tell = logProgress(context);
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
        tell(`${done} of ${all} documents are stored.`);
      }
    }
    await migrate(connection, { migrations: MIGRATIONS, clock: context.clock });
    const mended = await mend(await openRanking(connection, context.clock), Date.parse(manifest.started_at), tell);
    await state.end();
    if (json === true) printJson(context, { id: manifest.id, documents: all, ...mended });
    else {
      context.print(
        `Imported ${all} documents. ${mended.refolded} operators were folded anew, ${mended.differing} parts of the board made anew.\n` +
          'Now forget again who asked for it since: erasures replay FILE\n',
      );
    }
  });
}

/** Chunks that are there already. */
async function storedBefore(
  connection: Connection,
  state: ReturnType<typeof importState>,
  { id }: Manifest,
): Promise<ReadonlySet<string>> {
  const former = await state.read();
  if (former?.id === id) return new Set(former.stored);
  if (former !== null)
    throw new CommandError('another import was cut short here', 'Finish that one, or use an empty database.');
  if (!(await isEmpty(connection))) {
    throw new CommandError('the database is not empty', 'Import into an empty one: nothing is ever mixed.');
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
    if (bytes < COMMAND_BYTES && batch.length < DOCUMENTS_A_COMMAND) continue;
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

/** An export of a running service holds moments that follow each other; what did not fit together is made to. */
async function mend(
  { ensureBoard, repair }: Pick<Ranking, 'ensureBoard' | 'repair'>,
  since: number,
  tell: (text: string) => void,
) {
  await ensureBoard();
  const operators = await repair.processedSince(since);
  await repair.refoldAll(operators, (done) => tell(`${done} of ${operators.length} operators are folded anew.`));
  const findings = await repair.verifyBoard();
  if (findings.length > 0) await repair.repair(findings);
  return { refolded: operators.length, differing: findings.length };
}
