import { closeSync, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { ownershipFault } from '../files/ownership.ts';
import { objectOf } from '../json.ts';
import { SKIP_REASONS } from '../sources/source.ts';
import { type FileEntry, skipCounts, type UsageStore } from './usage-store.ts';
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

/** Sections of the file start at multiples of this, so that typed arrays can view them without a copy. In bytes. */
export const ALIGNMENT = 8;

/** The head's checksum and its padding. */
const CHECKSUM_BYTES = ALIGNMENT;

/** Most files have no skipped records: their counts are omitted from the stored header. */
const NOTHING_SKIPPED = skipCounts(() => 0);

/**
 * The head of a store's file, which `following` bytes follow: preamble, header and the sums of each file, with a separate
 * checksum, so that a scan of unchanged logs reads only the head. The store's table has `rows` rows and `keys` keys.
 */
export function encodeHead(store: UsageStore, rows: number, keys: number, following: number): Buffer {
  const { epoch, platforms, files } = store;
  const header = Buffer.from(JSON.stringify({ epoch, platforms, rows, keys, files: files.map(encodeFile) }));
  const { sums } = summarize(store);
  const preamble = Buffer.alloc(PREAMBLE.bytes);
  const parts = [preamble, padded(header), Buffer.from(sums.buffer), Buffer.alloc(CHECKSUM_BYTES)];
  const bytes = parts.reduce((sum, part) => sum + part.length, following);
  preamble.write(HEAD_MAGIC, 'latin1');
  preamble.writeUInt32LE(header.length, PREAMBLE.header);
  preamble.writeUInt32LE(files.length, PREAMBLE.files);
  preamble.writeDoubleLE(bytes, PREAMBLE.fileBytes);
  const head = Buffer.concat(parts);
  const checksum = head.length - CHECKSUM_BYTES;
  head.writeUInt32LE(checksumOf(head.subarray(0, checksum)), checksum);
  return head;
}

/** The header of a file that begins with a head, and the head's end offset. Throws as `decodeHeader` does, or a `RangeError`. */
export function decodeHead(bytes: Buffer) {
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
      const { headerEnd, sums, fileCount, checksum, end, bytes } = layoutOf(preamble);
      if (fstatSync(file).size !== bytes || end > bytes) return null;
      const head = readBytes(file, 0, end);
      if (checksumOf(head.subarray(0, checksum)) !== head.readUInt32LE(checksum)) return null;
      const { files } = decodeHeader(head.toString('utf8', PREAMBLE.bytes, headerEnd));
      if (files.length !== fileCount) return null;
      return { files, sums: new Float64Array(head.buffer, head.byteOffset + sums, fileCount * SUM.fields) };
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

/** Offsets of the parts of a head, and the size of the file, from its preamble. */
function layoutOf(preamble: Buffer) {
  const fileCount = preamble.readUInt32LE(PREAMBLE.files);
  const headerEnd = PREAMBLE.bytes + preamble.readUInt32LE(PREAMBLE.header);
  const sums = headerEnd + paddingAfter(headerEnd);
  const checksum = sums + fileCount * SUM.fields * Float64Array.BYTES_PER_ELEMENT;
  const end = checksum + CHECKSUM_BYTES;
  return { headerEnd, fileCount, sums, checksum, end, bytes: preamble.readDoubleLE(PREAMBLE.fileBytes) };
}

/** Reads `size` bytes into a new buffer. Throws a `RangeError` when the file ends before. */
function readBytes(file: number, from: number, size: number): Buffer {
  const bytes = Buffer.from(new ArrayBuffer(size));
  if (readSync(file, bytes, 0, size, from) < size) throw new RangeError();
  return bytes;
}

/** Parses the JSON part of a stored store. Throws a `SyntaxError` or a `TypeError` when the text is not a header. */
export function decodeHeader(text: string) {
  const { epoch, platforms, rows, keys, files } = objectOf(JSON.parse(text));
  if (typeof epoch !== 'number' || typeof rows !== 'number' || typeof keys !== 'number') throw new TypeError();
  if (!Array.isArray(platforms) || !Array.isArray(files)) throw new TypeError();
  return { epoch, platforms: platforms.map(requireText), rows, keys, files: files.map(decodeFile) };
}

function encodeFile({ path, platform, version, fingerprint, bytes, records, skipped }: FileEntry): readonly unknown[] {
  const counts = SKIP_REASONS.map((reason) => skipped[reason]);
  return [path, platform, version, fingerprint, bytes, records, ...(counts.some((each) => each > 0) ? [counts] : [])];
}

function decodeFile(value: unknown): FileEntry {
  if (!Array.isArray(value)) throw new TypeError();
  const [path, platform, version, fingerprint, bytes, records, skipped]: readonly unknown[] = value;
  return {
    path: requireText(path),
    platform: requireText(platform),
    version: Number(version),
    fingerprint: requireText(fingerprint),
    bytes: Number(bytes),
    records: Number(records),
    skipped: skipped === undefined ? NOTHING_SKIPPED : decodeSkipped(skipped),
  };
}

function decodeSkipped(counts: unknown): FileEntry['skipped'] {
  if (!Array.isArray(counts)) throw new TypeError();
  const numbers: readonly unknown[] = counts;
  return skipCounts((index) => Number(numbers[index] ?? 0));
}

function requireText(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError();
  return value;
}

/** The number of bytes to the next multiple of the alignment. */
export function paddingAfter(size: number): number {
  return (ALIGNMENT - (size % ALIGNMENT)) % ALIGNMENT;
}

/** The bytes, padded with zeros to the next multiple of the alignment. */
export function padded(part: Buffer): Buffer {
  const padding = paddingAfter(part.length);
  return padding === 0 ? part : Buffer.concat([part, Buffer.alloc(padding)]);
}

/**
 * A 32-bit checksum, one word at a time. Each step is invertible, so a change of a single word is always detected; other
 * changes are missed with probability 2^-32. (Node's CRC would load its compression library.) `before` is the checksum of
 * the preceding bytes, whose length is a multiple of four.
 */
export function checksumOf(bytes: Uint8Array, before = 0): number {
  // Signed: V8 stores them without allocating a heap number for each.
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.byteLength / 4));
  let sum = before;
  for (let index = 0; index < words.length; index += 1) {
    sum = Math.imul(sum ^ words[index]!, 0x9e3779b1);
    sum ^= sum >>> 15;
  }
  for (let index = words.length * 4; index < bytes.byteLength; index += 1) {
    sum = Math.imul(sum ^ bytes[index]!, 0x9e3779b1);
    sum ^= sum >>> 15;
  }
  return sum >>> 0;
}
