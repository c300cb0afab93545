import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { isObject } from '../json.ts';
import { UnreadLogError } from './source.ts';

const READ_BYTES = 64 * 1024;

/** The longest line that is loaded, in bytes: far above any line with counts, and small enough for memory. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** The most that is decompressed of a file, in bytes: it is in memory as a whole. */
const MAX_DECOMPRESSED_BYTES = 256 * 1024 * 1024;

/** In UTF-8, as one character for each byte. */
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';
const BEYOND_ASCII = /[^\0-\x7f]/;

export interface LineVisitor {
  /**
   * A line without its line feed, one character for each byte: searching it takes a fraction of the time of searching a buffer.
   * `decode` makes text of it. `terminated` false: the last line, without a line feed.
   */
  line(bytes: string, terminated: boolean): void;
  /** A line was longer than the limit and is skipped. */
  tooLong(): void;
  /** So many further bytes were read. */
  read?(bytes: number): void;
}

/** One buffer for all files, which are read sequentially. */
const CHUNK = Buffer.allocUnsafeSlow(READ_BYTES);

/** The text of a line, or of a part of it that breaks no character, in UTF-8. */
export function decode(bytes: string): string {
  return BEYOND_ASCII.test(bytes) ? Buffer.from(bytes, 'latin1').toString() : bytes;
}

/**
 * Streams a file's lines in memory bounded by the line limit. Strips a byte order mark at the start. Synchronous, which is
 * twice as fast as asynchronous reads. Decompresses files of Zstandard (`.zst`), which are not streamed. Throws system errors; lines visited before an error remain visited.
 */
export function readLines(path: string, visitor: LineVisitor, maxLineBytes = MAX_LINE_BYTES): void {
  /** The start of an incomplete line; dropped when the line is too long. */
  let pieces: string[] = [];
  let pending = 0;
  let isFirst = true;
  const finish = (rest: string, terminated: boolean): void => {
    if (pending + rest.length > maxLineBytes) {
      visitor.tooLong();
    } else {
      const line = pieces.length === 0 ? rest : [...pieces, rest].join('');
      visitor.line(isFirst && line.startsWith(BYTE_ORDER_MARK) ? line.slice(BYTE_ORDER_MARK.length) : line, terminated);
    }
    pieces = [];
    pending = 0;
    isFirst = false;
  };
  for (const chunk of path.endsWith('.zst') ? decompressedChunks(path) : chunksOf(path, visitor)) {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      finish(chunk.slice(start, end), true);
      start = end + 1;
    }
    pending += chunk.length - start;
    if (pending > maxLineBytes) pieces = [];
    else if (start < chunk.length) pieces.push(chunk.slice(start));
  }
  if (pending > 0) finish('', false);
}

function* chunksOf(path: string, visitor: LineVisitor): Generator<string> {
  const file = openSync(path, 'r');
  try {
    for (let size = READ_BYTES; size > 0; ) {
      size = readSync(file, CHUNK, 0, READ_BYTES, null);
      visitor.read?.(size);
      yield CHUNK.toString('latin1', 0, size);
    }
  } finally {
    closeSync(file);
  }
}

/** What Zstandard compressed. Throws `UnreadLogError` before Node 22.15, and errors of zlib. */
export function decompressed(bytes: Uint8Array): Buffer {
  const zlib: unknown = process.getBuiltinModule('node:zlib');
  if (!hasZstd(zlib)) throw new UnreadLogError('COMPRESSED');
  return zlib.zstdDecompressSync(bytes, { maxOutputLength: MAX_DECOMPRESSED_BYTES });
}

function* decompressedChunks(path: string): Generator<string> {
  const bytes = decompressed(readFileSync(path));
  for (let start = 0; start < bytes.length; start += READ_BYTES) {
    yield bytes.toString('latin1', start, Math.min(bytes.length, start + READ_BYTES));
  }
}

/** The part of `node:zlib` that is used, which is there from Node 22.15 on. */
interface Zstd {
  readonly zstdDecompressSync: (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Buffer;
}

function hasZstd(zlib: unknown): zlib is Zstd {
  return isObject(zlib) && typeof zlib['zstdDecompressSync'] === 'function';
}
