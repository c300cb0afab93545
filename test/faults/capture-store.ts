import { isDeepStrictEqual } from 'node:util';
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
      const now = new Map((await collection.find().toArray()).map((document) => [document._id, document]));
      for (const document of kept.get(name) ?? []) {
        const id = document._id;
        const same = isDeepStrictEqual(now.get(id), document);
        now.delete(id);
        if (same) continue;
        await collection.replaceOne({ _id: document._id }, document, { upsert: true });
        changed += 1;
      }
      for (const { _id } of now.values()) await collection.deleteOne({ _id });
      changed += now.size;
    }
    return changed;
  };
}
