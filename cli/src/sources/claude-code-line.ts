import { isObject, type JsonObject, parseJson } from '../json.ts';
import { decode } from './read-lines.ts';

const USAGE = '"usage"';
const ASSISTANT = '"assistant"';
const MESSAGE = '"message":';
const USER_MESSAGE = `${MESSAGE}{"role":"user"`;

/** The beginning of `message.content`, which is most of a line, and that of a content's array after another name. */
const CONTENT = '"content":[';
const PIECE = '[{"type":';
const STOP_REASON = '"stop_reason":';

/** Longer parts of lines are parsed as JSON: the time of a pattern grows with the square of the length in the worst case. */
const MAX_PATTERN_CHARACTERS = 4096;

/** A message from its beginning to the content: texts in printable ASCII, because the line is not decoded. */
const BEFORE_CONTENT = /^\{(?:"\w+":(?:null|"[ !#-[\]-~]*"),)*"content":\[$/;
/**
 * Selects what to read of a line: a model's message, parsed without its content, which is most of it, where it is in the usual order;
 * the whole line in another one; false for other lines. JSON escapes quotes within text, so the texts that it searches occur only as
 * names and values.
 */
export function readLine(line: string): JsonObject | string | false {
  // The first nested object of the line: text or another object cannot be mistaken for it.
  const message = line.indexOf('{', 1) - MESSAGE.length;
  const isFirst = message > 0 && line.startsWith(MESSAGE, message);
  // Messages of users and tools contain no usage and are most of a log: recognizing them early avoids searching them.
  if (isFirst && line.startsWith(USER_MESSAGE, message)) return false;
  const entry = isFirst ? readMessage(line, message) : null;
  return entry ?? (line.includes(USAGE) && line.includes(ASSISTANT) && line);
}

/** Reads a line whose message begins at `message`, without the content; null for another layout. */
function readMessage(line: string, message: number): JsonObject | null {
  const start = line.indexOf(CONTENT, message) + CONTENT.length;
  const end = line.lastIndexOf('],"', line.lastIndexOf(STOP_REASON));
  if (!isContent(line, message, start, end)) return null;
  const entry = parseJson(decode(line.slice(0, start) + line.slice(end)));
  // What was left out ended with another array than the content when a member is missing.
  const read = isObject(entry) ? entry['message'] : null;
  return isObject(entry) && isObject(read) && isObject(read['usage']) && 'id' in read && 'model' in read ? entry : null;
}

/**
 * Whether from `start` to `end` there is the content of a line's message, which begins at `message`, and nothing else: no other content,
 * no NUL bytes of a crash. Other damage of a content is not noticed.
 */
function isContent(line: string, message: number, start: number, end: number): boolean {
  if (start < CONTENT.length || end < start || line.length - end > MAX_PATTERN_CHARACTERS) return false;
  const before = message + MESSAGE.length;
  if (start - before > MAX_PATTERN_CHARACTERS || !BEFORE_CONTENT.test(line.slice(before, start))) return false;
  const content = line.slice(start, end);
  // An empty content of another message ends with its bracket.
  return !content.includes(PIECE) && !content.endsWith('[') && !content.includes('\0');
}
