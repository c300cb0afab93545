import { isObject, type JsonObject, parseJson } from '../json.ts';
import { MAX_PATTERN_CHARACTERS, MEMBER_PATTERNS } from './read-json.ts';
import { decode } from './read-lines.ts';

const USAGE = '"usage"';
const ASSISTANT = '"assistant"';
const MESSAGE = '"message":';
const USER_MESSAGE = `${MESSAGE}{"role":"user"`;

/** The beginning of `message.content`, which is most of a line, and that of a content's array after another name. */
const CONTENT = '"content":[';
const PIECE = '[{"type":';
const STOP_REASON = '"stop_reason":';

/** Parts of a usage. */
const ITERATIONS = '"iterations":[{';

/** What precedes the message: a member that differs from line to line, and others that seldom do. */
const BEFORE_MESSAGE = /^\{("parentUuid":(?:null|"[\w-]*"),)?/;

/** A message from its beginning to the content: texts in printable ASCII, because the line is not decoded. */
const BEFORE_CONTENT = /^\{(?:"\w+":(?:null|"[ !#-[\]-~]*"),)*"content":\[$/;
const ID = /"id":"([\w-]+)"/;
const MODEL = /"model":("[^"]+")/;

const { count, members, flat, nested, deep } = MEMBER_PATTERNS;

/** From the end of the content to that of the line, in the order in which all versions of Claude Code so far write what matters. */
const AFTER_CONTENT = new RegExp(
  [
    String.raw`\]${members},"usage":\{"input_tokens":${count},"cache_creation_input_tokens":${count},`,
    String.raw`"cache_read_input_tokens":${count},(?:"\w+":\{${flat}\},)*"output_tokens":${count}(?=[,}])(${deep})\}${nested}\}`,
    String.raw`${members},"requestId":"([\w-]+)"${members},"type":"assistant"${members},"uuid":"([\w-]+)"`,
    String.raw`${members},"timestamp":"([\w:.+-]+)"(${flat})\}$`,
  ].join(''),
  'y',
);

/**
 * Creates the function that selects what to read of the lines of one log: a model's message, read by patterns in half of the time of
 * `JSON.parse` where it is in the usual order; the whole line in another one; false for other lines. JSON escapes quotes within
 * text, so the texts that it searches occur only as names and values. Of names that repeat, the patterns read the first, and JSON the last.
 */
export function createLineReader(): (line: string) => JsonObject | string | false {
  let others = '';
  let parsed: unknown;
  /** Reads the members beside the message that seldom differ from those of the line before. */
  const readOthers = (before: string, after: string): unknown => {
    // A copy: a part of the line would keep what was read of the file in memory.
    const text = `{${before}${after}}`;
    if (text !== others) parsed = parseJson(decode(text));
    others = text;
    return parsed;
  };
  return (line) => {
    // The first nested object of the line: text or another object cannot be mistaken for it.
    const message = line.indexOf('{', 1) - MESSAGE.length;
    const isFirst = message > 0 && line.startsWith(MESSAGE, message);
    // Messages of users and tools contain no usage and are most of a log: recognizing them early avoids searching them.
    if (isFirst && line.startsWith(USER_MESSAGE, message)) return false;
    const entry = isFirst ? readMessage(line, message, readOthers) : null;
    return entry ?? (line.includes(USAGE) && line.includes(ASSISTANT) && line);
  };
}

/** Reads what matters of a line whose message begins at `message`; null for another layout. */
function readMessage(
  line: string,
  message: number,
  readOthers: (before: string, after: string) => unknown,
): JsonObject | null {
  const start = line.indexOf(CONTENT, message) + CONTENT.length;
  const end = line.lastIndexOf('],"', line.lastIndexOf(STOP_REASON));
  if (!isContent(line, message, start, end)) return null;
  AFTER_CONTENT.lastIndex = end;
  const after = AFTER_CONTENT.exec(line);
  const before = line.slice(message, start);
  const id = ID.exec(before);
  const model = MODEL.exec(before);
  if (after === null || id === null || model === null) return null;
  const others = readOthers(line.slice(BEFORE_MESSAGE.exec(line)![0].length, message - 1), after[9]!);
  const further = after[5]!.includes(ITERATIONS) ? parseJson(decode(`{"":0${after[5]}}`)) : {};
  if (!isObject(others) || !isObject(further)) return null;
  const usage = {
    input_tokens: Number(after[1]),
    cache_creation_input_tokens: Number(after[2]),
    cache_read_input_tokens: Number(after[3]),
    output_tokens: Number(after[4]),
    iterations: further['iterations'],
  };
  return {
    isSidechain: others['isSidechain'],
    cwd: others['cwd'],
    sessionId: others['sessionId'],
    message: { id: id[1], model: parseJson(model[1]!), usage },
    requestId: after[6],
    type: 'assistant',
    uuid: after[7],
    timestamp: after[8],
  };
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
