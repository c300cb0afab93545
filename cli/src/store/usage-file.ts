import { join } from 'node:path';
import { readPrivateFile, writePrivateFile } from '../files/private-files.ts';
import { makeColumns } from './columns.ts';
import { KEY_COLUMNS } from './key-index.ts';
import { Origins } from './origins.ts';
import {
  BUCKETLESS_MAGIC,
  checksumOf,
  columnParts,
  columnReader,
  decodeHead,
  decodeHeader,
  encodeHead,
  HEAD_CHECKSUM_BYTES,
  HEAD_MAGIC,
} from './usage-head.ts';
import type { UsageStore } from './usage-store.ts';
import { ROW_COLUMNS, UsageTable } from './usage-table.ts';

/** The magic of files of the first version, without a head. Files of former versions are read, and written back with a head. */
const HEADLESS_MAGIC = 'upsilon-usage-1\n';

const MAGIC_BYTES = HEAD_MAGIC.length;
const CHECKSUM_BYTES = 4;
const LENGTH_BYTES = 4;

/** The path of the store's file. */
export function usagePath(configDir: string): string {
  return join(configDir, 'usage.bin');
}

/** The stored store; null when there is none, `damaged` when the file fails its checks. */
export async function readUsage(configDir: string): Promise<ReturnType<typeof parse> | 'damaged'> {
  const content = await readPrivateFile(usagePath(configDir), 'state');
  if (content === undefined) return null;
  try {
    return parse(content) ?? 'damaged';
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError || error instanceof TypeError) return 'damaged';
    throw error;
  }
}

/** Replaces the stored store atomically; `moveAside` as in `writePrivateFile`. */
export async function writeUsage(configDir: string, store: UsageStore, moveAside?: () => Promise<void>): Promise<void> {
  await writePrivateFile(usagePath(configDir), serialize(store), moveAside);
}

/** The parts of the file: columns are written without concatenating them first. */
function serialize(store: UsageStore): readonly Buffer[] {
  const { rows, keys } = store.table.stored();
  const body = [...columnParts(rows), ...columnParts(keys)];
  const following = body.reduce((sum, part) => sum + part.length, CHECKSUM_BYTES);
  const parts = [encodeHead(store, rows.times.length, keys.rows.length, following), ...body];
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(parts.reduce((sum, part) => checksumOf(part, sum), 0));
  return [...parts, checksum];
}

/** The stored store, and the checksums that distinguish it from later ones; null when the file fails its checks. */
function parse(bytes: Buffer) {
  const end = bytes.length - CHECKSUM_BYTES;
  if (end < MAGIC_BYTES + LENGTH_BYTES) return null;
  const magic = bytes.toString('latin1', 0, MAGIC_BYTES);
  if (![HEAD_MAGIC, BUCKETLESS_MAGIC, HEADLESS_MAGIC].includes(magic)) return null;
  const checksum = bytes.readUInt32LE(end);
  if (checksumOf(bytes.subarray(0, end)) !== checksum) return null;
  const { header, end: start } = magic === HEADLESS_MAGIC ? decodeHeadless(bytes) : decodeHead(bytes);
  const { epoch, platforms, rows, keys, origins } = header;
  const readColumn = columnReader(bytes, start);
  // In the order of the file. Former versions have no origins.
  const rowColumns = makeColumns(ROW_COLUMNS, rows, (type, cells, name) =>
    name === 'origins' && origins === undefined ? new type(cells) : readColumn(type, cells, name),
  );
  const stored = { rows: rowColumns, keys: makeColumns(KEY_COLUMNS, keys, readColumn) };
  // Without origins, every file is read again, which adds them.
  const files = origins === undefined ? header.files.map((file) => ({ ...file, fingerprint: '' })) : header.files;
  const store: UsageStore = { epoch, table: new UsageTable(stored, new Origins(origins)), platforms, files };
  // The running checksum is 0 after a head, which ends with its own: alone it would be the same for each head, as of another epoch.
  return { store, checksum: `${bytes.readUInt32LE(start - HEAD_CHECKSUM_BYTES)} ${checksum}` };
}

/** The header of a file without a head, and its end offset. */
function decodeHeadless(bytes: Buffer): ReturnType<typeof decodeHead> {
  const start = MAGIC_BYTES + LENGTH_BYTES;
  const end = start + bytes.readUInt32LE(MAGIC_BYTES);
  return { header: decodeHeader(bytes.toString('utf8', start, end)), end };
}
