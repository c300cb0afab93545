import { readFileSync, statSync } from 'node:fs';
import { isObject, type JsonObject, parseJson } from '../json.ts';
import { decode, readLines } from './read-lines.ts';
import type { UsageSink } from './source.ts';

/** The largest JSON document that is loaded, in bytes. */
const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024;

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
 * Reads a file with one JSON object per line. Parses only the lines that may matter, because most of a log is prompts and file
 * contents, which the tool must not look into; of other lines only the braces are checked. `isSelected` tells which may matter
 * (`LineVisitor.line`). Reports lines that are not a JSON object, cut off at the end or too long as skipped.
 */
export function readJsonLines(
  path: string,
  sink: UsageSink,
  isSelected: (line: string) => boolean,
  visit: (entry: JsonObject) => void,
): void {
  readLines(path, {
    tooLong: () => sink.skip('too_long'),
    read: (bytes) => sink.advance(bytes),
    line: (line, terminated) => {
      const broken = terminated ? 'not_json' : 'truncated';
      let start = 0;
      let end = line.length;
      while (start < end && line.charCodeAt(start) <= SPACE) start += 1;
      while (end > start && line.charCodeAt(end - 1) <= SPACE) end -= 1;
      if (start === end) return;
      if (line[start] !== '{' || line[end - 1] !== '}') return sink.skip(broken);
      const object = line.slice(start, end);
      if (!isSelected(object)) return;
      const entry = parseJson(decode(object));
      if (isObject(entry)) visit(entry);
      else sink.skip(broken);
    },
  });
}

/** Selects lines that contain one of these texts. Names in JSON: within text their quotes are escaped. */
export function containing(...marks: readonly string[]): (line: string) => boolean {
  return (line) => marks.some((mark) => line.includes(mark));
}
