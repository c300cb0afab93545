import { isObject } from '../json.ts';
import type { SkipReason, UsageSink } from '../sources/source.ts';
import { readLines } from './read-lines.ts';

const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const SPACE = 0x20;

export interface JsonLineVisitor {
  /** Whether a line can contain usage. Other lines are not parsed; only their braces are checked. */
  readonly mayMatter: (line: Buffer) => boolean;
  readonly visit: (entry: Readonly<Record<string, unknown>>) => void;
}

/**
 * Reads a file with one JSON object per line. Parses only lines that may matter: most of a log is prompts and file contents,
 * which the tool must not look into. Reports lines that are not a JSON object, cut off at the end or too long as skipped.
 */
export function readJsonLines(path: string, sink: UsageSink, visitor: JsonLineVisitor): void {
  readLines(path, {
    tooLong: () => sink.skip('too_long'),
    line: (line, terminated) => {
      const broken: SkipReason = terminated ? 'not_json' : 'truncated';
      let start = 0;
      let end = line.length;
      while (start < end && line[start]! <= SPACE) start += 1;
      while (end > start && line[end - 1]! <= SPACE) end -= 1;
      if (start === end) return;
      if (line[start] !== OPENING_BRACE || line[end - 1] !== CLOSING_BRACE) return sink.skip(broken);
      if (!visitor.mayMatter(line)) return;
      const entry = parse(line.toString('utf8', start, end));
      if (entry === null) sink.skip(broken);
      else visitor.visit(entry);
    },
  });
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
