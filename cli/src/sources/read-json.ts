import { readFileSync, statSync } from 'node:fs';
import { isObject, type JsonObject, parseJson } from '../json.ts';
import { readLines } from './read-lines.ts';
import type { UsageSink } from './source.ts';

/** The largest JSON document that is loaded, in bytes. */
const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024;

const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const SPACE = 0x20;

/** Reads a file that is one JSON document. Undefined, and reported as skipped, when it is not JSON or too large. */
export function readJsonFile(path: string, sink: UsageSink): unknown {
  if (statSync(path).size > MAX_DOCUMENT_BYTES) return sink.skip('too_long');
  const text = readFileSync(path, 'utf8');
  const value = parseJson(text.startsWith('\ufeff') ? text.slice(1) : text);
  // Includes a document that was cut off while being written.
  if (value === undefined) sink.skip('not_json');
  return value;
}

/**
 * Reads a file with one JSON object per line. Parses only lines that may matter, because most of a log is prompts and file
 * contents, which the tool must not look into; of other lines only the braces are checked. Reports lines that are not a JSON
 * object, cut off at the end or too long as skipped.
 */
export function readJsonLines(
  path: string,
  sink: UsageSink,
  mayMatter: (line: Buffer) => boolean,
  visit: (entry: JsonObject) => void,
): void {
  readLines(path, {
    tooLong: () => sink.skip('too_long'),
    read: (bytes) => sink.advance(bytes),
    line: (line, terminated) => {
      const broken = terminated ? 'not_json' : 'truncated';
      let start = 0;
      let end = line.length;
      while (start < end && line[start]! <= SPACE) start += 1;
      while (end > start && line[end - 1]! <= SPACE) end -= 1;
      if (start === end) return;
      if (line[start] !== OPENING_BRACE || line[end - 1] !== CLOSING_BRACE) return sink.skip(broken);
      if (!mayMatter(line)) return;
      const entry = parseJson(line.toString('utf8', start, end));
      if (isObject(entry)) visit(entry);
      else sink.skip(broken);
    },
  });
}

/** Whether a line contains one of these texts. Names in JSON: within text their quotes are escaped. */
export function containing(...marks: readonly string[]): (line: Buffer) => boolean {
  const bytes = marks.map((mark) => Buffer.from(mark));
  return (line) => bytes.some((mark) => line.includes(mark));
}
