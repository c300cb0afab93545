import { closeSync, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { ownershipFault } from '../files/ownership.ts';
import { objectOf } from '../json.ts';
import { type Origin, SKIP_REASONS } from '../sources/source.ts';
import { makeColumns } from './columns.ts';
import { BUCKET_COLUMNS, bucketsOf, type TimeBuckets } from './time-buckets.ts';
import { type FileEntry, NOTHING_SKIPPED, skipCounts, type UsageStore } from './usage-store.ts';
import { SUM, summarize, type UsageSummary } from './usage-summary.ts';

/** The magic of a file that begins with a head. */
export const HEAD_MAGIC = 'upsilon-usage-3\n';

/** The magic of files of the previous version, whose head has no origins and no buckets. */
export const BUCKETLESS_MAGIC = 'upsilon-usage-2\n';

/**
 * Offsets in the preamble: the header's length, the number of files, the size of the file in bytes (a double), and the size of
 * the head.
 */
const PREAMBLE = {
  header: HEAD_MAGIC.length,
  files: HEAD_MAGIC.length + 4,
  fileBytes: HEAD_MAGIC.length + 8,
  headBytes: HEAD_MAGIC.length + 16,
  bytes: 40,
  /** Of the previous version. */
  bucketlessBytes: 32,
};

/** Sections of the file start at multiples of this, so that typed arrays can view them without a copy. In bytes. */
const ALIGNMENT = 8;

/** The head's checksum and its padding. */
export const HEAD_CHECKSUM_BYTES = ALIGNMENT;

/** What the head holds: the epoch, the sums of the files, and the time buckets. */
export interface StoredSummary extends UsageSummary {
  readonly epoch: number;
  readonly buckets: TimeBuckets;
}

/**
 * The head of a store's file, which `following` bytes follow: preamble, header, the sums of each file and the time buckets, with a
 * separate checksum, so that a scan of unchanged logs and every local view read only the head. The store's table has `rows`
 * rows and `keys` keys.
 */
export function encodeHead(store: UsageStore, rows: number, keys: number, following: number): Buffer {
  const { epoch, platforms, files } = store;
  const { sums } = summarize(store);
  const { origins, columns } = bucketsOf(store);
  const described = { epoch, platforms, rows, keys, buckets: columns.times.length, origins: encodeOrigins(origins) };
  const header = Buffer.from(JSON.stringify({ ...described, files: files.map(encodeFile) }));
  const preamble = Buffer.alloc(PREAMBLE.bytes);
  const parts = [
    preamble,
    padded(header),
    Buffer.from(sums.buffer),
    ...columnParts(columns),
    Buffer.alloc(HEAD_CHECKSUM_BYTES),
  ];
  const bytes = parts.reduce((sum, part) => sum + part.length, following);
  preamble.write(HEAD_MAGIC, 'latin1');
  preamble.writeUInt32LE(header.length, PREAMBLE.header);
  preamble.writeUInt32LE(files.length, PREAMBLE.files);
  preamble.writeDoubleLE(bytes, PREAMBLE.fileBytes);
  const head = Buffer.concat(parts);
  head.writeUInt32LE(head.length, PREAMBLE.headBytes);
  const checksum = head.length - HEAD_CHECKSUM_BYTES;
  head.writeUInt32LE(checksumOf(head.subarray(0, checksum)), checksum);
  return head;
}

/** The header of a file that begins with a head, and the head's end offset. Throws as `decodeHeader` does, or a `RangeError`. */
export function decodeHead(bytes: Buffer) {
  const { headerStart, headerEnd, end } = layoutOf(bytes);
  return { header: decodeHeader(bytes.toString('utf8', headerStart, headerEnd)), end };
}

/**
 * Reads only the head of a store's file. Null when there is none of this version, or the file's size, checksum or ownership is
 * wrong: opening the store reports the fault.
 */
export function readSummary(path: string): StoredSummary | null {
  try {
    if (ownershipFault(lstatSync(path), 'state') !== null) return null;
    const file = openSync(path, 'r');
    try {
      const preamble = readBytes(file, 0, PREAMBLE.bytes);
      if (preamble.toString('latin1', 0, HEAD_MAGIC.length) !== HEAD_MAGIC) return null;
      const { headerStart, headerEnd, sums, fileCount, buckets, end, bytes } = layoutOf(preamble);
      if (fstatSync(file).size !== bytes || end > bytes) return null;
      const head = readBytes(file, 0, end);
      const checksum = end - HEAD_CHECKSUM_BYTES;
      if (checksumOf(head.subarray(0, checksum)) !== head.readUInt32LE(checksum)) return null;
      const header = decodeHeader(head.toString('utf8', headerStart, headerEnd));
      const { epoch, files, platforms, origins, buckets: rows } = header;
      if (files.length !== fileCount || origins === undefined) return null;
      const columns = makeColumns(BUCKET_COLUMNS, rows, columnReader(head, buckets));
      return {
        epoch,
        files,
        sums: new Float64Array(head.buffer, head.byteOffset + sums, fileCount * SUM.fields),
        buckets: { platforms, origins, columns },
      };
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

/** The bytes of columns, each padded. */
export function columnParts(columns: Readonly<Record<string, ArrayBufferView>>): readonly Buffer[] {
  return Object.values(columns).map(({ buffer, byteOffset, byteLength }) =>
    padded(Buffer.from(buffer, byteOffset, byteLength)),
  );
}

/** Reads columns that `columnParts` wrote, one after the other, without copying them. Throws a `RangeError` beyond the end. */
export function columnReader(bytes: Buffer, start: number): Parameters<typeof makeColumns>[2] {
  // A small file is in a shared buffer pool, at an offset that may not be aligned for typed arrays.
  const isAligned = bytes.byteOffset % ALIGNMENT === 0;
  const { buffer, byteOffset } = isAligned ? bytes : new Uint8Array(bytes);
  let at = start;
  return (type, cells) => {
    const from = at + paddingAfter(at);
    at = from + cells * type.BYTES_PER_ELEMENT;
    if (at > bytes.length) throw new RangeError();
    return new type(buffer, byteOffset + from, cells);
  };
}

/** Offsets of the parts of a head, and the size of the file, from its preamble. */
function layoutOf(preamble: Buffer) {
  const fileCount = preamble.readUInt32LE(PREAMBLE.files);
  const isBucketless = preamble.toString('latin1', 0, BUCKETLESS_MAGIC.length) === BUCKETLESS_MAGIC;
  const headerStart = isBucketless ? PREAMBLE.bucketlessBytes : PREAMBLE.bytes;
  const headerEnd = headerStart + preamble.readUInt32LE(PREAMBLE.header);
  const sums = headerEnd + paddingAfter(headerEnd);
  const buckets = sums + fileCount * SUM.fields * Float64Array.BYTES_PER_ELEMENT;
  const end = isBucketless ? buckets + HEAD_CHECKSUM_BYTES : preamble.readUInt32LE(PREAMBLE.headBytes);
  const bytes = preamble.readDoubleLE(PREAMBLE.fileBytes);
  return { headerStart, headerEnd, fileCount, sums, buckets, end, bytes };
}

/** Reads `size` bytes into a new buffer. Throws a `RangeError` when the file ends before. */
function readBytes(file: number, from: number, size: number): Buffer {
  const bytes = Buffer.from(new ArrayBuffer(size));
  if (readSync(file, bytes, 0, size, from) < size) throw new RangeError();
  return bytes;
}

/** Parses the JSON part of a stored store. Throws a `SyntaxError` or a `TypeError` when the text is not a header. */
export function decodeHeader(text: string) {
  const { epoch, platforms, rows, keys, files, buckets, origins } = objectOf(JSON.parse(text));
  if (typeof epoch !== 'number' || typeof rows !== 'number' || typeof keys !== 'number') throw new TypeError();
  if (!Array.isArray(platforms) || !Array.isArray(files)) throw new TypeError();
  return {
    epoch,
    platforms: platforms.map(requireText),
    rows,
    keys,
    files: files.map(decodeFile),
    /** Zero and undefined in former versions. */
    buckets: Number(buckets ?? 0),
    origins: decodeOrigins(origins),
  };
}

/** Origins by the numbers of their texts, most of which occur often. */
function encodeOrigins(origins: readonly Origin[]): object {
  const numbers = new Map<string, number>();
  const numberOf = (text: string | null): number => {
    if (text === null) return -1;
    if (!numbers.has(text)) numbers.set(text, numbers.size);
    return numbers.get(text)!;
  };
  const rows = origins.flatMap(({ model, project, session }) => [model, project, session].map(numberOf));
  return { texts: [...numbers.keys()], rows };
}

function decodeOrigins(value: unknown): readonly Origin[] | undefined {
  if (value === undefined) return undefined;
  const { texts, rows } = objectOf(value);
  if (!Array.isArray(texts) || !Array.isArray(rows) || rows.length % 3 !== 0) throw new TypeError();
  const known = texts.map(requireText);
  const numbers: readonly unknown[] = rows;
  const textAt = (at: number): string | null => (numbers[at] === -1 ? null : requireText(known[Number(numbers[at])]));
  return Array.from({ length: rows.length / 3 }, (_, row) => {
    return { model: textAt(row * 3), project: textAt(row * 3 + 1), session: textAt(row * 3 + 2) };
  });
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
function paddingAfter(size: number): number {
  return (ALIGNMENT - (size % ALIGNMENT)) % ALIGNMENT;
}

/** The bytes, padded with zeros to the next multiple of the alignment. */
function padded(part: Buffer): Buffer {
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
