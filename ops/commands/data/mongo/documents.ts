import { type Connection, mongo } from 'mongoose';

const { BSON } = mongo;

/** Documents that one reply brings; one of large documents ends at 16 MiB. */
const DOCUMENTS_A_REPLY = 2_000;

/** Types are kept as they are stored: a count that is a double stays one. */
const AS_STORED = { promoteValues: false, promoteBuffers: false, promoteLongs: false } as const;

/** Collections that hold nothing but who does what at this moment. */
const MOMENTARY: ReadonlySet<string> = new Set(['leases', 'sign_ups', 'imports']);

/**
 * What a service writes while it is read must fit together later. A board's root comes before the parts that it names.
 * Verdicts come before the log, so that none comes without its snapshots, and carry marks after it, so that a snapshot that
 * leaves the log for its mark is in one of them. The books come after what says that something is in them.
 */
const FIRST = 'board_manifests';
const LAST = ['payments', 'operators', 'verdicts', 'snapshots', 'rollups'];

/** The collections worth keeping, in the order in which they are to be read. */
export async function collectionsToKeep(connection: Connection): Promise<readonly string[]> {
  const db = databaseOf(connection);
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  const kept = names.filter((name) => !MOMENTARY.has(name) && !name.startsWith('system.'));
  return kept.sort((a, b) => turnOf(a) - turnOf(b) || (a < b ? -1 : 1));
}

function turnOf(name: string): number {
  return name === FIRST ? -2 : LAST.indexOf(name);
}

/** Documents of a collection after an `_id` (base64 of `idOf`; null: from the first), each as BSON, at most `limit`. */
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
    batchSize: DOCUMENTS_A_REPLY,
  });
  yield* found;
}

/** The `_id` of a document, in a form that `documentsAfter` takes. */
export function idOf(document: Uint8Array): string {
  const { _id } = BSON.deserialize(document, AS_STORED);
  return Buffer.from(BSON.serialize({ _id })).toString('base64');
}

/** Stores documents under their `_id`s, in the place of those that are there. */
export async function storeDocuments(
  connection: Connection,
  name: string,
  documents: readonly Uint8Array[],
): Promise<void> {
  const collection = databaseOf(connection).collection(name);
  if (documents.length === 0) return;
  const given = documents.map((bytes) => BSON.deserialize(bytes, AS_STORED));
  try {
    // A third of what as many replacements cost, and mostly nothing is there.
    await collection.insertMany(given, { ordered: false });
  } catch (error) {
    if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
    const writes = given.map(({ _id, ...replacement }) => ({
      replaceOne: { filter: { _id }, replacement, upsert: true },
    }));
    await collection.bulkWrite(writes, { ordered: false });
  }
}

/** Whether no operator is known here. */
export async function isEmpty(connection: Connection): Promise<boolean> {
  const db = databaseOf(connection);
  const found = await Promise.all(['operators', 'accounts', 'snapshots'].map((name) => db.collection(name).findOne()));
  return found.every((document) => document === null);
}

function databaseOf(connection: Connection) {
  if (connection.db === undefined) throw new Error('the MongoDB connection is not open');
  return connection.db;
}
