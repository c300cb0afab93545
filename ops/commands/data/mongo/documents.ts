import { mongo } from 'mongoose';
import { type Connection, databaseOf } from '../../../../engine/mongo/index.ts';

const { BSON } = mongo;

/** Documents per reply; MongoDB also ends a reply at 16 MiB. */
const REPLY_DOCUMENTS = 2_000;

/** Keeps stored types: a count that is a double stays a double. */
const AS_STORED = { promoteValues: false, promoteBuffers: false, promoteLongs: false } as const;

/** Collections with transient state only. */
const TRANSIENT: ReadonlySet<string> = new Set(['leases', 'sign_ups', 'imports']);

/**
 * The order keeps an export of a running service consistent. The board manifest is read before the parts it refers to.
 * Verdicts are read before the log, so that every exported verdict has its snapshot, and rollups after it, so that a
 * snapshot that moves from the log to a rollup is in one of them. Payments are read after the records that refer to them, and
 * the sequence of operator numbers after the operators.
 */
const FIRST = 'board_manifests';
const LAST = ['payments', 'operators', 'verdicts', 'snapshots', 'rollups', 'sequences'];

/** The collections to export, in reading order. */
export async function exportedCollections(connection: Connection): Promise<readonly string[]> {
  const db = databaseOf(connection);
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  const kept = names.filter((name) => !TRANSIENT.has(name) && !name.startsWith('system.'));
  return kept.sort((a, b) => positionOf(a) - positionOf(b) || (a < b ? -1 : 1));
}

function positionOf(name: string): number {
  return name === FIRST ? -2 : LAST.indexOf(name);
}

/** At most `limit` documents of a collection as BSON, ordered by `_id`, after an `_id` (from `idOf`; null: from the first). */
export async function* documentsAfter(
  connection: Connection,
  name: string,
  after: string | null,
  limit: number,
): AsyncGenerator<Uint8Array> {
  const collection = databaseOf(connection).collection(name);
  const { _id } = after === null ? { _id: null } : BSON.deserialize(Buffer.from(after, 'base64'), AS_STORED);
  const filter = after === null ? {} : { _id: { $gt: _id } };
  const found = collection.find<Uint8Array>(filter, {
    raw: true,
    sort: { _id: 1 },
    limit,
    batchSize: REPLY_DOCUMENTS,
  });
  yield* found;
}

/** The `_id` of a document for `documentsAfter`: base64 of the BSON document `{ _id }`. */
export function idOf(document: Uint8Array): string {
  const { _id } = BSON.deserialize(document, AS_STORED);
  return Buffer.from(BSON.serialize({ _id })).toString('base64');
}

/** Inserts documents, or replaces those with the same `_id`. */
export async function storeDocuments(
  connection: Connection,
  name: string,
  documents: readonly Uint8Array[],
): Promise<void> {
  const collection = databaseOf(connection).collection(name);
  if (documents.length === 0) return;
  const given = documents.map((bytes) => BSON.deserialize(bytes, AS_STORED));
  try {
    // Costs a third of as many replacements, and usually no document exists.
    await collection.insertMany(given, { ordered: false });
  } catch (error) {
    if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
    const writes = given.map(({ _id, ...replacement }) => ({
      replaceOne: { filter: { _id }, replacement, upsert: true },
    }));
    await collection.bulkWrite(writes, { ordered: false });
  }
}

/** Whether the database has no operators, accounts or snapshots. */
export async function isEmpty(connection: Connection): Promise<boolean> {
  const db = databaseOf(connection);
  const found = await Promise.all(['operators', 'accounts', 'snapshots'].map((name) => db.collection(name).findOne()));
  return found.every((document) => document === null);
}
