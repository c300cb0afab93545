import { type Connection, mongo } from 'mongoose';
import { DURABLE } from './writes.ts';

// The layout of parts as of this migration, which later releases may change.
const MAGIC = 'UPSB';
const FORMAT = 1;
const KEY_AT = 13;
const KINDS = ['order page', 'operator page', 'directory', 'segment', 'top entries', 'rerank part'] as const;
const WINDOWS = ['all_time', '7d', '30d', '90d'] as const;
const BOARD_KEY = `all:${WINDOWS.join(',')}`;

/** Bytes per element of a part without header. */
const ELEMENT_BYTES = { 'order page': 12, 'operator page': 48, segment: 68, 'rerank part': 32 } as const;
const DIRECTORY_HEAD_BYTES = 16;
const DIRECTORY_PAGE_BYTES = 20;

/** Bytes of changed fields per command. */
const BYTES_A_COMMAND = 4 * 1024 * 1024;

type Kind = (typeof KINDS)[number];

/** A part, a base run, top entries or an operator. */
interface StoredDocument {
  readonly _id: string;
  readonly totals: mongo.Binary;
  readonly streams: mongo.Binary;
  readonly bytes: mongo.Binary;
  readonly directories: mongo.Binary | readonly mongo.Binary[];
  readonly windows: readonly (readonly unknown[])[];
}

/**
 * Puts a header before every stored part of a board: pages and directories of all base runs (those kept for hours and days
 * included), segments, top entries, Yields of re-ranks. What follows the header is the former part, of all windows.
 */
export async function addPartHeaders(connection: Connection): Promise<void> {
  await addHeaders(connection, 'board_pages', ({ _id }) => {
    const [, kind, window] = _id.split('/');
    return kind === 'operators' ? ['operator page', BOARD_KEY] : ['order page', `all:${window}`];
  });
  await addHeaders(connection, 'board_segments', () => ['segment', BOARD_KEY]);
  await addHeaders(connection, 'rerank_parts', () => ['rerank part', BOARD_KEY]);
  await joinDirectories(connection);
  await addTopEntriesHeaders(connection);
}

async function addHeaders(
  connection: Connection,
  collection: string,
  describe: (part: StoredDocument) => readonly [kind: keyof typeof ELEMENT_BYTES, key: string],
): Promise<void> {
  await changeEach(connection, collection, {}, (part) => {
    const bytes = bytesOf(part.bytes);
    if (bytes.toString('latin1', 0, MAGIC.length) === MAGIC) return null;
    const [kind, key] = describe(part);
    const count = bytes.length / ELEMENT_BYTES[kind];
    if (!Number.isInteger(count)) throw new Error(`${collection} ${part._id}: ${bytes.length} bytes are no ${kind}`);
    return { bytes: new mongo.Binary(Buffer.concat([headerOf(kind, key, count), bytes])) };
  });
}

/** Joins the directories of a base run. */
async function joinDirectories(connection: Connection): Promise<void> {
  await changeEach(connection, 'board_base_runs', {}, ({ directories }) => {
    if (!Array.isArray(directories)) return null;
    const bodies = directories.map(bytesOf);
    // A window without entries has no directory.
    const named = bodies.map(({ length }) => length > DIRECTORY_HEAD_BYTES);
    const body = Buffer.concat(bodies.filter((_, window) => named[window]));
    const pages = bodies.reduce((sum, { length }) => sum + (length - DIRECTORY_HEAD_BYTES) / DIRECTORY_PAGE_BYTES, 0);
    const header = headerOf('directory', BOARD_KEY, pages, named);
    return { directories: new mongo.Binary(Buffer.concat([header, body])) };
  });
}

async function addTopEntriesHeaders(connection: Connection): Promise<void> {
  const filter = { header: { $exists: false } };
  await changeEach(connection, 'board_top_entries', filter, ({ windows }) => {
    const named = windows.map(({ length }) => length > 0);
    const header = headerOf('top entries', BOARD_KEY, windows.flat().length, named);
    return { header: new mongo.Binary(header), windows: windows.filter(({ length }) => length > 0) };
  });
}

/** Sets fields of each document for which `change` returns some. Repeatable: a document that has them is left alone. */
export async function changeEach(
  connection: Connection,
  collection: string,
  filter: object,
  change: (document: StoredDocument) => object | null,
): Promise<void> {
  const stored = connection.collection<{ _id: string }>(collection);
  const found = stored.find<StoredDocument>(filter, { sort: { _id: 1 } });
  let writes: mongo.AnyBulkWriteOperation<{ _id: string }>[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (writes.length > 0) await stored.bulkWrite(writes, DURABLE);
    writes = [];
    bytes = 0;
  };
  for await (const document of found) {
    const fields = change(document);
    if (fields === null) continue;
    writes.push({ updateOne: { filter: { _id: document._id }, update: { $set: fields } } });
    bytes += mongo.BSON.calculateObjectSize(fields);
    if (bytes > BYTES_A_COMMAND) await flush();
  }
  await flush();
}

/** See `engine/ranking/core/board/part-header.ts`. */
function headerOf(kind: Kind, key: string, count: number, named: readonly boolean[] = key.split(',').map(() => true)) {
  const header = Buffer.alloc(KEY_AT + key.length);
  header.write(MAGIC, 'latin1');
  header.writeUInt8(FORMAT, 4);
  header.writeUInt8(KINDS.indexOf(kind), 5);
  header.writeUInt16LE(
    named.reduce((mask, isNamed, window) => mask | (isNamed ? 1 << window : 0), 0),
    6,
  );
  header.writeUInt32LE(count, 8);
  header.writeUInt8(key.length, 12);
  header.write(key, KEY_AT, 'latin1');
  return header;
}

export function bytesOf({ buffer, position }: mongo.Binary): Buffer {
  return Buffer.from(buffer.subarray(0, position));
}
