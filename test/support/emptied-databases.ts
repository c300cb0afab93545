import { randomBytes } from 'node:crypto';
import { type Connection, mongo } from 'mongoose';
import { processEnvironment } from '../../config/env.ts';
import { type FreshDatabase, freshDatabase } from './engines.ts';

/** What uses a database: tests with the same use create the same indexes. */
type Use = 'accounts' | 'api' | 'billing' | 'ranking' | 'service';

/** Databases that earlier tests of this process left empty. */
const emptied = new Map<Use, FreshDatabase[]>();

/**
 * A database without documents, and a new key prefix. It may have the collections and indexes of an earlier test: to create
 * and drop them takes longer than most tests.
 */
export async function emptyDatabase(use: Use): Promise<FreshDatabase> {
  const database = emptied.get(use)?.shift();
  return database === undefined ? freshDatabase() : { ...database, prefix: `test-${randomBytes(6).toString('hex')}` };
}

/** Closes the last connection to a database, whose work may still go on, and empties it for a later test. */
export async function leaveDatabase(use: Use, database: FreshDatabase, connection: Connection): Promise<void> {
  await connection.close();
  const client = await mongo.MongoClient.connect(database.mongoUrl);
  try {
    const db = client.db();
    // A server that was there before does not keep databases of tests.
    if (processEnvironment()['MONGODB_URL'] !== undefined) return void (await db.dropDatabase());
    const collections = await db.listCollections({}, { nameOnly: true }).toArray();
    await Promise.all(collections.map(({ name }) => db.collection(name).deleteMany({})));
    const others = (emptied.get(use) ?? []).filter(({ databaseName }) => databaseName !== database.databaseName);
    emptied.set(use, [...others, database]);
  } finally {
    await client.close();
  }
}
