import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError, reasonOf } from '../cli-error.ts';
import { writePrivateFile } from '../files/private-files.ts';
import { isObject } from '../json.ts';
import { SKIP_REASONS, type SkipReason } from '../sources/source.ts';
import { checksumOf } from './checksum.ts';
import { UsageTable } from './usage-table.ts';

/** What is known of a file that was read: enough to tell that it has not changed, and to report it without reading it again. */
export interface FileEntry {
  readonly path: string;
  readonly platform: string;
  /** The source's version that read it. */
  readonly version: number;
  /** Size, time and inode of the file and its companions. */
  readonly fingerprint: string;
  readonly bytes: number;
  readonly records: number;
  readonly skipped: Readonly<Record<SkipReason, number>>;
}

/** Everything that was ever counted on this machine, and the files it came from. */
export interface UsageStore {
  readonly epoch: number;
  readonly table: UsageTable;
  /** By number; rows refer to it. Files that are gone stay listed. */
  readonly files: FileEntry[];
  /** By number; rows refer to it. */
  readonly platforms: string[];
}

/** A store as it was read; the checksum tells it from later ones. */
export interface ReadStore {
  readonly store: UsageStore;
  readonly checksum: number;
}

const MAGIC = 'upsilon-usage-1\n';
const CHECKSUM_BYTES = 4;
const LENGTH_BYTES = 4;

/** Sections start at multiples of this, so that they can be read as typed arrays where they lie. */
const ALIGNMENT = 8;

/** The store's file inside the settings folder. */
export function usagePath(configDir: string): string {
  return join(configDir, 'usage.bin');
}

export function emptyStore(epoch: number): UsageStore {
  return { epoch, table: new UsageTable(), files: [], platforms: [] };
}

/** The store as it stands: null when there is none, `damaged` when the file is not one that was written whole. */
export async function readUsage(configDir: string): Promise<ReadStore | null | 'damaged'> {
  const path = usagePath(configDir);
  try {
    return parse(await readFile(path)) ?? 'damaged';
  } catch (error) {
    if (reasonOf(error) === 'ENOENT') return null;
    if (error instanceof SyntaxError || error instanceof RangeError || error instanceof TypeError) return 'damaged';
    throw new CliError('files', 'file_unreadable', `${path} cannot be read: ${reasonOf(error)}`);
  }
}

/** Replaces the store whole or not at all. */
export async function writeUsage(configDir: string, store: UsageStore): Promise<void> {
  await writePrivateFile(usagePath(configDir), serialize(store));
}

/** The file's parts: the columns are written as they lie, not copied together first. */
function serialize({ epoch, table, files, platforms }: UsageStore): readonly Buffer[] {
  const { rows, keys } = table.columns();
  const header = Buffer.from(
    JSON.stringify({
      epoch,
      platforms,
      rows: rows.times.length,
      keys: keys.rows.length,
      files: files.map((file) => [
        file.path,
        file.platform,
        file.version,
        file.fingerprint,
        file.bytes,
        file.records,
        SKIP_REASONS.map((reason) => file.skipped[reason]),
      ]),
    }),
  );
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(header.length);
  const parts: Buffer[] = [padded(Buffer.concat([Buffer.from(MAGIC), length, header]))];
  // In the order in which `parse` takes them.
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
  for (const { buffer, byteOffset, byteLength } of sections) {
    const part = Buffer.from(buffer, byteOffset, byteLength);
    parts.push(byteLength % ALIGNMENT === 0 ? part : padded(part));
  }
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(parts.reduce((sum, part) => checksumOf(part, sum), 0));
  return [...parts, checksum];
}

function padded(part: Buffer): Buffer {
  return Buffer.concat([part, Buffer.alloc(paddingAfter(part.length))]);
}

function paddingAfter(size: number): number {
  return (ALIGNMENT - (size % ALIGNMENT)) % ALIGNMENT;
}

function parse(bytes: Buffer): ReadStore | null {
  const end = bytes.length - CHECKSUM_BYTES;
  if (end < MAGIC.length + LENGTH_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return null;
  const checksum = bytes.readUInt32LE(end);
  if (checksumOf(bytes.subarray(0, end)) !== checksum) return null;
  const headerEnd = MAGIC.length + LENGTH_BYTES + bytes.readUInt32LE(MAGIC.length);
  const header: unknown = JSON.parse(bytes.toString('utf8', MAGIC.length + LENGTH_BYTES, headerEnd));
  if (!isObject(header)) return null;
  const { epoch, platforms, rows, keys, files } = header;
  if (typeof epoch !== 'number' || typeof rows !== 'number' || typeof keys !== 'number') return null;
  if (!isTextList(platforms) || !Array.isArray(files)) return null;
  const take = sectionReader(bytes, headerEnd);
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
  return { store: { epoch, table, platforms: [...platforms], files: files.map(parseFile) }, checksum };
}

/** Answers section after section: where it lies, so that nothing is copied. */
function sectionReader(bytes: Buffer, start: number): (size: number) => readonly [ArrayBufferLike, number] {
  // A small file lies somewhere in a buffer that it shares, where typed arrays may not begin.
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

function parseFile(value: unknown): FileEntry {
  if (!Array.isArray(value)) throw new TypeError();
  const [path, platform, version, fingerprint, bytes, records, skipped]: readonly unknown[] = value;
  if (typeof path !== 'string' || typeof platform !== 'string' || typeof fingerprint !== 'string')
    throw new TypeError();
  const counts: readonly unknown[] = Array.isArray(skipped) ? skipped : [];
  return {
    path,
    platform,
    version: Number(version),
    fingerprint,
    bytes: Number(bytes),
    records: Number(records),
    skipped: skipCounts((_, index) => Number(counts[index] ?? 0)),
  };
}

/** A number for each reason to skip. */
export function skipCounts(of: (reason: SkipReason, index: number) => number): Record<SkipReason, number> {
  return {
    not_json: of('not_json', 0),
    truncated: of('truncated', 1),
    too_long: of('too_long', 2),
    invalid_counts: of('invalid_counts', 3),
    no_identity: of('no_identity', 4),
    synthetic: of('synthetic', 5),
  };
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
