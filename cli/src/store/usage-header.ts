import { isObject } from '../json.ts';
import { SKIP_REASONS } from '../sources/source.ts';
import { type FileEntry, skipCounts, type UsageStore } from './usage-store.ts';

/** Most files have no skipped records: their counts are omitted from the stored header. */
const NOTHING_SKIPPED = skipCounts(() => 0);

/** The JSON part of a stored store. */
export interface UsageHeader {
  readonly epoch: number;
  readonly platforms: string[];
  readonly rows: number;
  readonly keys: number;
  readonly files: FileEntry[];
}

/** The bytes of the header of a store whose table has `rows` rows and `keys` keys. */
export function encodeHeader({ epoch, platforms, files }: UsageStore, rows: number, keys: number): Buffer {
  return Buffer.from(
    JSON.stringify({
      epoch,
      platforms,
      rows,
      keys,
      files: files.map((file) => [
        file.path,
        file.platform,
        file.version,
        file.fingerprint,
        file.bytes,
        file.records,
        ...(SKIP_REASONS.some((reason) => file.skipped[reason] > 0)
          ? [SKIP_REASONS.map((reason) => file.skipped[reason])]
          : []),
      ]),
    }),
  );
}

/** Parses a header. Throws a `SyntaxError` or a `TypeError` when the text is not a header. */
export function decodeHeader(text: string): UsageHeader {
  const header: unknown = JSON.parse(text);
  if (!isObject(header)) throw new TypeError();
  const { epoch, platforms, rows, keys, files } = header;
  if (typeof epoch !== 'number' || typeof rows !== 'number' || typeof keys !== 'number') throw new TypeError();
  if (!isTextList(platforms) || !Array.isArray(files)) throw new TypeError();
  return { epoch, platforms: [...platforms], rows, keys, files: files.map(decodeFile) };
}

function decodeFile(value: unknown): FileEntry {
  if (!Array.isArray(value)) throw new TypeError();
  const [path, platform, version, fingerprint, bytes, records, skipped]: readonly unknown[] = value;
  if (typeof path !== 'string' || typeof platform !== 'string' || typeof fingerprint !== 'string')
    throw new TypeError();
  return {
    path,
    platform,
    version: Number(version),
    fingerprint,
    bytes: Number(bytes),
    records: Number(records),
    skipped: skipped === undefined ? NOTHING_SKIPPED : decodeSkipped(skipped),
  };
}

function decodeSkipped(counts: unknown): FileEntry['skipped'] {
  if (!Array.isArray(counts)) throw new TypeError();
  const numbers: readonly unknown[] = counts;
  return skipCounts((_, index) => Number(numbers[index] ?? 0));
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
