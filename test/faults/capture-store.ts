import { isDeepStrictEqual } from 'node:util';
import type { mongo } from 'mongoose';
import type { Connection } from '../../engine/mongo/index.ts';

/** Any document. */
interface Stored {
  readonly _id: string;
}

/**
 * Captures every document of a database. The returned function restores them, as after the loss of the last journal entries,
 * and returns the number of documents changed.
 */
export async function captureStore({ db }: Connection): Promise<() => Promise<number>> {
  if (db === undefined) throw new Error('the connection is not open');
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const kept = new Map<string, Stored[]>();
  for (const { name } of collections) kept.set(name, await db.collection<Stored>(name).find().toArray());
  return async () => {
    let changed = 0;
    const present = await db.listCollections({}, { nameOnly: true }).toArray();
    for (const { name } of present) {
      const collection = db.collection<Stored>(name);
      const writes: mongo.AnyBulkWriteOperation<Stored>[] = [];
      const now = new Map((await collection.find().toArray()).map((document) => [document._id, document]));
      for (const document of kept.get(name) ?? []) {
        const id = document._id;
        const same = isDeepStrictEqual(now.get(id), document);
        now.delete(id);
        if (!same) writes.push({ replaceOne: { filter: { _id: id }, replacement: document, upsert: true } });
      }
      for (const _id of now.keys()) writes.push({ deleteOne: { filter: { _id } } });
      if (writes.length > 0) await collection.bulkWrite(writes);
      changed += writes.length;
    }
    return changed;
  };
}
