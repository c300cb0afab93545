import { closeSync, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { ownershipFault } from '../files/ownership.ts';
import { ALIGNMENT, padded, paddingAfter } from './alignment.ts';
import { checksumOf } from './checksum.ts';
import { decodeHeader, encodeHeader, type UsageHeader } from './usage-header.ts';
import type { UsageStore } from './usage-store.ts';
import { SUM, summarize, type UsageSummary } from './usage-summary.ts';

/** The magic of a file that begins with a head. */
export const HEAD_MAGIC = 'upsilon-usage-2\n';

/** Offsets in the preamble: the header's length, the number of files, and the size of the file in bytes (a double). */
const PREAMBLE = {
  header: HEAD_MAGIC.length,
  files: HEAD_MAGIC.length + 4,
  fileBytes: HEAD_MAGIC.length + 8,
  bytes: 32,
};

/** The head's checksum and its padding. */
const CHECKSUM_BYTES = ALIGNMENT;

/** Offsets of the parts of a head, from its preamble. */
interface HeadLayout {
  readonly headerEnd: number;
  readonly files: number;
  readonly sums: number;
  readonly checksum: number;
  readonly end: number;
  /** Size of the file. */
  readonly bytes: number;
}

/**
 * The head of a store's file, which `following` bytes follow: preamble, header and the sums of each file, with a separate
 * checksum, so that a scan of unchanged logs reads only the head.
 */
export function encodeHead(store: UsageStore, rows: number, keys: number, following: number): Buffer {
  const header = encodeHeader(store, rows, keys);
  const { sums } = summarize(store);
  const preamble = Buffer.alloc(PREAMBLE.bytes);
  const parts = [preamble, padded(header), Buffer.from(sums.buffer), Buffer.alloc(CHECKSUM_BYTES)];
  preamble.write(HEAD_MAGIC, 'latin1');
  preamble.writeUInt32LE(header.length, PREAMBLE.header);
  preamble.writeUInt32LE(store.files.length, PREAMBLE.files);
  preamble.writeDoubleLE(
    parts.reduce((sum, part) => sum + part.length, following),
    PREAMBLE.fileBytes,
  );
  const head = Buffer.concat(parts);
  const checksum = head.length - CHECKSUM_BYTES;
  head.writeUInt32LE(checksumOf(head.subarray(0, checksum)), checksum);
  return head;
}

/** The header of a file that begins with a head, and the head's end offset. Throws as `decodeHeader` does, or a `RangeError`. */
export function decodeHead(bytes: Buffer): { readonly header: UsageHeader; readonly end: number } {
  const { headerEnd, end } = layoutOf(bytes);
  return { header: decodeHeader(bytes.toString('utf8', PREAMBLE.bytes, headerEnd)), end };
}

/**
 * Reads only the head of a store's file. Null when there is none, or the file's size, checksum or ownership is wrong: opening
 * the store reports the fault.
 */
export function readSummary(path: string): UsageSummary | null {
  try {
    if (ownershipFault(lstatSync(path), 'state') !== null) return null;
    const file = openSync(path, 'r');
    try {
      const preamble = readBytes(file, 0, PREAMBLE.bytes);
      if (preamble.toString('latin1', 0, HEAD_MAGIC.length) !== HEAD_MAGIC) return null;
      const layout = layoutOf(preamble);
      if (fstatSync(file).size !== layout.bytes || layout.end > layout.bytes) return null;
      return decodeSummary(readBytes(file, 0, layout.end), layout);
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

function decodeSummary(head: Buffer, { headerEnd, sums, checksum, files: count }: HeadLayout): UsageSummary | null {
  if (checksumOf(head.subarray(0, checksum)) !== head.readUInt32LE(checksum)) return null;
  const { files } = decodeHeader(head.toString('utf8', PREAMBLE.bytes, headerEnd));
  if (files.length !== count) return null;
  return { files, sums: new Float64Array(head.buffer, head.byteOffset + sums, count * SUM.fields) };
}

function layoutOf(preamble: Buffer): HeadLayout {
  const files = preamble.readUInt32LE(PREAMBLE.files);
  const headerEnd = PREAMBLE.bytes + preamble.readUInt32LE(PREAMBLE.header);
  const sums = headerEnd + paddingAfter(headerEnd);
  const checksum = sums + files * SUM.fields * Float64Array.BYTES_PER_ELEMENT;
  return {
    headerEnd,
    files,
    sums,
    checksum,
    end: checksum + CHECKSUM_BYTES,
    bytes: preamble.readDoubleLE(PREAMBLE.fileBytes),
  };
}

/** Reads `size` bytes into a new buffer. Throws a `RangeError` when the file ends before. */
function readBytes(file: number, from: number, size: number): Buffer {
  const bytes = Buffer.from(new ArrayBuffer(size));
  if (readSync(file, bytes, 0, size, from) < size) throw new RangeError();
  return bytes;
}
