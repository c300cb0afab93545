import { closeSync, openSync, readSync } from 'node:fs';

const READ_BYTES = 512 * 1024;

/** The longest line that is loaded, in bytes: far above any line with counts, and small enough for memory. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export interface LineVisitor {
  /** A line without its line feed; valid only during the call. `terminated` false: the last line, without a line feed. */
  line(bytes: Buffer, terminated: boolean): void;
  /** A line was longer than the limit and is skipped. */
  tooLong(): void;
  /** So many further bytes were read. */
  read?(bytes: number): void;
}

/**
 * Bytes between the start of the allocation and the read buffer. Large allocations of malloc begin 16 bytes after the start of a
 * page, and some processors (AMD) copy whole pages to there three times as slowly as to any other multiple of 64.
 */
const READ_OFFSET = 48;

/** One buffer for all files, which are read sequentially. */
const CHUNK = Buffer.allocUnsafeSlow(READ_OFFSET + READ_BYTES).subarray(READ_OFFSET);

/**
 * Streams a file's lines in memory bounded by the line limit. Strips a byte order mark at the start. Synchronous, which is
 * twice as fast as asynchronous reads. Throws system errors; lines visited before an error remain visited.
 */
export function readLines(path: string, visitor: LineVisitor, maxLineBytes = MAX_LINE_BYTES): void {
  /** The start of an incomplete line, copied because the read buffer is reused; dropped when the line is too long. */
  let pieces: Buffer[] = [];
  let pending = 0;
  let isFirst = true;
  const finish = (rest: Buffer, terminated: boolean): void => {
    if (pending + rest.length > maxLineBytes) {
      visitor.tooLong();
    } else {
      const line = pieces.length === 0 ? rest : Buffer.concat([...pieces, rest]);
      const marked = isFirst && line.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
      visitor.line(marked ? line.subarray(BYTE_ORDER_MARK.length) : line, terminated);
    }
    pieces = [];
    pending = 0;
    isFirst = false;
  };
  const file = openSync(path, 'r');
  try {
    for (let size = READ_BYTES; size > 0; ) {
      size = readSync(file, CHUNK, 0, READ_BYTES, null);
      visitor.read?.(size);
      const chunk = CHUNK.subarray(0, size);
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
        finish(chunk.subarray(start, end), true);
        start = end + 1;
      }
      pending += size - start;
      if (pending > maxLineBytes) pieces = [];
      else if (start < size) pieces.push(Buffer.from(chunk.subarray(start)));
    }
    if (pending > 0) finish(Buffer.alloc(0), false);
  } finally {
    closeSync(file);
  }
}
