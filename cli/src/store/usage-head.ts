import { closeSync, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { ownershipFault } from '../files/ownership.ts';
import { ALIGNMENT, padded, paddingAfter } from './alignment.ts';
import { checksumOf } from './checksum.ts';
import { decodeHeader, encodeHeader, type UsageHeader } from './usage-header.ts';
import type { UsageStore } from './usage-store.ts';
import { SUM, summarize, type UsageSummary } from './usage-summary.ts';

/** The mark of a file that begins with a head. */
export const HEAD_MARK = 'upsilon-usage-2\n';

/** Where the preamble holds the header's length, the number of files and the bytes of the whole file (a double). */
const PREAMBLE = { header: HEAD_MARK.length, files: HEAD_MARK.length + 4, whole: HEAD_MARK.length + 8, bytes: 32 };

/** The head's own checksum and its padding. */
const SEAL_BYTES = ALIGNMENT;

/** Where the parts of a head lie, as its preamble says. */
interface HeadLayout {
  readonly headerEnd: number;
  readonly files: number;
  readonly sums: number;
  readonly seal: number;
  readonly end: number;
  /** Of the whole file. */
  readonly bytes: number;
}

/**
 * What a store's file begins with, followed by so many bytes more: preamble, header and the sums of each file, with a checksum
 * of their own, so that a scan in which nothing has changed reads no more than that.
 */
export function encodeHead(store: UsageStore, rows: number, keys: number, following: number): Buffer {
  const header = encodeHeader(store, rows, keys);
  const { sums } = summarize(store);
  const preamble = Buffer.alloc(PREAMBLE.bytes);
  const parts = [preamble, padded(header), Buffer.from(sums.buffer), Buffer.alloc(SEAL_BYTES)];
  preamble.write(HEAD_MARK, 'latin1');
  preamble.writeUInt32LE(header.length, PREAMBLE.header);
  preamble.writeUInt32LE(store.files.length, PREAMBLE.files);
  preamble.writeDoubleLE(
    parts.reduce((sum, part) => sum + part.length, following),
    PREAMBLE.whole,
  );
  const head = Buffer.concat(parts);
  const seal = head.length - SEAL_BYTES;
  head.writeUInt32LE(checksumOf(head.subarray(0, seal)), seal);
  return head;
}

/** The header of a file that begins with a head, and where the rest begins. Throws as `decodeHeader` does, or a `RangeError`. */
export function decodeHead(bytes: Buffer): { readonly header: UsageHeader; readonly end: number } {
  const { headerEnd, end } = layoutOf(bytes);
  return { header: decodeHeader(bytes.toString('utf8', PREAMBLE.bytes, headerEnd)), end };
}

/**
 * Reads the head of a store's file alone. Null when there is none, or the file is not as long as it was written, or its head
 * not as it was, or it is not to be trusted: opening the store reports which.
 */
export function readSummary(path: string): UsageSummary | null {
  try {
    if (ownershipFault(lstatSync(path), 'state') !== null) return null;
    const file = openSync(path, 'r');
    try {
      const preamble = readBytes(file, 0, PREAMBLE.bytes);
      if (preamble.toString('latin1', 0, HEAD_MARK.length) !== HEAD_MARK) return null;
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

function decodeSummary(head: Buffer, { headerEnd, sums, seal, files: count }: HeadLayout): UsageSummary | null {
  if (checksumOf(head.subarray(0, seal)) !== head.readUInt32LE(seal)) return null;
  const { files } = decodeHeader(head.toString('utf8', PREAMBLE.bytes, headerEnd));
  if (files.length !== count) return null;
  return { files, sums: new Float64Array(head.buffer, head.byteOffset + sums, count * SUM.fields) };
}

function layoutOf(preamble: Buffer): HeadLayout {
  const files = preamble.readUInt32LE(PREAMBLE.files);
  const headerEnd = PREAMBLE.bytes + preamble.readUInt32LE(PREAMBLE.header);
  const sums = headerEnd + paddingAfter(headerEnd);
  const seal = sums + files * SUM.fields * Float64Array.BYTES_PER_ELEMENT;
  return { headerEnd, files, sums, seal, end: seal + SEAL_BYTES, bytes: preamble.readDoubleLE(PREAMBLE.whole) };
}

/** Reads so many bytes, into memory of their own. Throws a `RangeError` when the file ends before. */
function readBytes(file: number, from: number, size: number): Buffer {
  const bytes = Buffer.from(new ArrayBuffer(size));
  if (readSync(file, bytes, 0, size, from) < size) throw new RangeError();
  return bytes;
}
