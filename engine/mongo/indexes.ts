import type { Connection, mongo } from 'mongoose';

/** The indexes of collections, by name. */
export type Indexes = Readonly<Record<string, readonly mongo.IndexDescription[]>>;

/** The database of a connected connection. */
export function databaseOf({ db }: Connection): mongo.Db {
  if (db === undefined) throw new Error('the MongoDB connection is not open');
  return db;
}

/** Creates the indexes. Safe to repeat and to run in several processes concurrently. */
export async function ensureIndexes(connection: Connection, indexes: Indexes): Promise<void> {
  for (const [name, ofCollection] of Object.entries(indexes)) {
    await databaseOf(connection)
      .collection(name)
      .createIndexes([...ofCollection]);
  }
}
