import { join } from 'node:path';
import { readPrivateFile, writePrivateFile } from '../files/private-files.ts';
import { ALIGNMENT, padded, paddingAfter } from './alignment.ts';
import { checksumOf } from './checksum.ts';
import { decodeHead, encodeHead, HEAD_MAGIC } from './usage-head.ts';
import { decodeHeader, type UsageHeader } from './usage-header.ts';
import type { UsageStore } from './usage-store.ts';
import { UsageTable } from './usage-table.ts';

/** A stored store, and the checksum that distinguishes it from later ones. */
export interface ReadStore {
  readonly store: UsageStore;
  readonly checksum: number;
}

/** The magic of files of earlier versions, without a head. They are read, and written back with a head. */
const HEADLESS_MAGIC = 'upsilon-usage-1\n';

const MAGIC_BYTES = HEAD_MAGIC.length;
const CHECKSUM_BYTES = 4;
const LENGTH_BYTES = 4;

/** The path of the store's file. */
export function usagePath(configDir: string): string {
  return join(configDir, 'usage.bin');
}

/** The stored store; null when there is none, `damaged` when the file fails its checks. */
export async function readUsage(configDir: string): Promise<ReadStore | null | 'damaged'> {
  const content = await readPrivateFile(usagePath(configDir), 'state');
  if (content === undefined) return null;
  try {
    return parse(content) ?? 'damaged';
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError || error instanceof TypeError) return 'damaged';
    throw error;
  }
}

/** Replaces the stored store atomically. */
export async function writeUsage(configDir: string, store: UsageStore): Promise<void> {
  await writePrivateFile(usagePath(configDir), serialize(store));
}

/** The parts of the file: columns are written without concatenating them first. */
function serialize(store: UsageStore): readonly Buffer[] {
  const { rows, keys } = store.table.columns();
  // In the order in which `parse` reads them.
  const sections: readonly ArrayBufferView[] = [
    rows.counts,
    rows.times,
    rows.requests,
    rows.links,
    rows.files,
    rows.kinds,
    rows.platforms,
    keys.highs,
    keys.lows,
    keys.rows,
  ];
  const body = sections.map(({ buffer, byteOffset, byteLength }) =>
    padded(Buffer.from(buffer, byteOffset, byteLength)),
  );
  const following = body.reduce((sum, part) => sum + part.length, CHECKSUM_BYTES);
  const parts = [encodeHead(store, rows.times.length, keys.rows.length, following), ...body];
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(parts.reduce((sum, part) => checksumOf(part, sum), 0));
  return [...parts, checksum];
}

function parse(bytes: Buffer): ReadStore | null {
  const end = bytes.length - CHECKSUM_BYTES;
  if (end < MAGIC_BYTES + LENGTH_BYTES) return null;
  const magic = bytes.toString('latin1', 0, MAGIC_BYTES);
  if (magic !== HEAD_MAGIC && magic !== HEADLESS_MAGIC) return null;
  const checksum = bytes.readUInt32LE(end);
  if (checksumOf(bytes.subarray(0, end)) !== checksum) return null;
  const { header, end: start } = magic === HEAD_MAGIC ? decodeHead(bytes) : decodeHeadless(bytes);
  const { epoch, platforms, files, rows, keys } = header;
  const take = sectionReader(bytes, start);
  const table = UsageTable.of(
    {
      counts: new Float64Array(...take(rows * 4 * 8), rows * 4),
      times: new Uint32Array(...take(rows * 4), rows),
      requests: new Uint32Array(...take(rows * 4), rows),
      links: new Int32Array(...take(rows * 4), rows),
      files: new Int32Array(...take(rows * 4), rows),
      kinds: new Uint8Array(...take(rows), rows),
      platforms: new Uint8Array(...take(rows), rows),
    },
    {
      highs: new Uint32Array(...take(keys * 4), keys),
      lows: new Uint32Array(...take(keys * 4), keys),
      rows: new Int32Array(...take(keys * 4), keys),
    },
  );
  return { store: { epoch, table, platforms, files }, checksum };
}

/** The header of a file without a head, and its end offset. */
function decodeHeadless(bytes: Buffer): { readonly header: UsageHeader; readonly end: number } {
  const start = MAGIC_BYTES + LENGTH_BYTES;
  const end = start + bytes.readUInt32LE(MAGIC_BYTES);
  return { header: decodeHeader(bytes.toString('utf8', start, end)), end };
}

/** Returns the buffer and offset of one section after the other, for typed arrays without a copy. */
function sectionReader(bytes: Buffer, start: number): (size: number) => readonly [ArrayBufferLike, number] {
  // A small file is in a shared buffer pool, at an offset that may not be aligned for typed arrays.
  const isAligned = bytes.byteOffset % ALIGNMENT === 0;
  const { buffer, byteOffset } = isAligned ? bytes : new Uint8Array(bytes);
  let at = start;
  return (size) => {
    at += paddingAfter(at);
    const from = byteOffset + at;
    at += size;
    if (at > bytes.length) throw new RangeError();
    return [buffer, from];
  };
}
