import type { mongo } from 'mongoose';
import { bytesOf } from './binary.ts';

/** One reply with all keys: the default first reply holds 101 documents, and the rest would cost a second command. */
export function singleBatch(keys: readonly unknown[]): { readonly batchSize: number } {
  return { batchSize: keys.length + 1 };
}

/** The ids of the documents that match. */
export async function idsIn<Document extends mongo.Document>(
  collection: mongo.Collection<Document>,
  filter: mongo.Filter<Document>,
  options: Omit<mongo.FindOptions, 'projection'> = {},
): Promise<mongo.InferIdType<Document>[]> {
  const found = collection.find<Pick<mongo.WithId<Document>, '_id'>>(filter, { ...options, projection: { _id: 1 } });
  return (await found.toArray()).map(({ _id }) => _id);
}

/** The bytes of the documents that exist, in the order of `ids`. */
export async function bytesInOrder(
  collection: Pick<mongo.Collection<{ _id: string; bytes: mongo.Binary }>, 'find'>,
  ids: readonly string[],
): Promise<Uint8Array[]> {
  const found = await collection.find({ _id: { $in: [...ids] } }, singleBatch(ids)).toArray();
  const byId = new Map(found.map(({ _id, bytes }) => [_id, bytesOf(bytes)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Reads pages of `limit` items, each after the last item of the former one (undefined: from the first). The last page is shorter. */
export async function* pagesOf<Item>(
  limit: number,
  read: (last: Item | undefined) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[]> {
  for (let last: Item | undefined; ; ) {
    const page = await read(last);
    yield page;
    if (page.length < limit) return;
    last = page.at(-1);
  }
}
