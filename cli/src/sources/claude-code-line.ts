import { isObject, type JsonObject, parseJson } from '../json.ts';
import { REST_OF_OBJECT } from './read-json.ts';
import { decode } from './read-lines.ts';

const USAGE = '"usage"';
const ASSISTANT = '"assistant"';
const MESSAGE = '"message":';
const USER_MESSAGE = `${MESSAGE}{"role":"user"`;

/** The delimiters of `message.content`, which is most of a line, and the beginning of such an array. */
const CONTENT = '"content":[';
const AFTER_CONTENT = '],"stop_reason":';
const PIECE = '[{"type":';

/** What precedes the message: a member that differs from line to line, and others that seldom do. */
const HEAD = /^\{("parentUuid":(?:null|"[\w-]*"),)?/;

/** A message from its beginning to the content: names and plain texts. */
const BEFORE_CONTENT = /^\{(?:"\w+":(?:null|"[^"\\\0\x7f-\xff]*"),)*"content":\[$/;
const ID = /"id":"([\w-]+)"/;
const MODEL = /"model":("[^"]+")/;

/** From the end of the content to that of the line, as Claude Code writes it. */
const TAIL = new RegExp(
  [
    String.raw`\],"stop_reason":(?:null|"\w*"),"stop_sequence":(?:null|"[^"\\\0]*"),"usage":\{"input_tokens":(\d+),`,
    String.raw`"cache_creation_input_tokens":(\d+),"cache_read_input_tokens":(\d+),(?:"\w+":\{[^{}\0]*\},)*"output_tokens":(\d+)`,
    String.raw`${REST_OF_OBJECT}\}${REST_OF_OBJECT}\},"requestId":"([\w-]+)","type":"assistant",`,
    String.raw`"uuid":"([\w-]+)","timestamp":"([\w:.+-]+)"\}$`,
  ].join(''),
  'y',
);

/** Longer tails are parsed as JSON: the pattern is for short ones. */
const MAX_TAIL_LENGTH = 4096;

/**
 * Returns a function for the lines of one log: it returns a model's message as far as it matters, which takes a fraction of the time
 * of `JSON.parse`, or the part of a line to parse, or false. JSON escapes quotes within text, so the texts that it searches occur only
 * as names and values.
 */
export function openLines(): (line: string) => JsonObject | string | false {
  let head = '';
  let session: unknown;
  const sessionOf = (text: string): unknown => {
    // A copy: a part of the line would keep what was read of the file in memory.
    const object = `{${text}}`;
    if (object !== head) session = parseJson(decode(object));
    head = object;
    return session;
  };
  return (line) => {
    // The first nested object of the line: text or another object cannot be mistaken for it.
    const message = line.indexOf('{', 1) - MESSAGE.length;
    const isFirst = message > 0 && line.startsWith(MESSAGE, message);
    // Messages of users and tools contain no usage and are most of a log: recognizing them early avoids searching them.
    if (isFirst && line.startsWith(USER_MESSAGE, message)) return false;
    const start = line.indexOf(CONTENT, message) + CONTENT.length;
    const end = line.indexOf('],"', start);
    const isContent = isFirst && isContentOf(line, message, start, end);
    const entry = isContent ? readMessage(line, message, start, end, sessionOf) : null;
    if (entry !== null) return entry;
    const part = isContent ? line.slice(0, start) + line.slice(end) : line;
    return part.includes(USAGE) && part.includes(ASSISTANT) && part;
  };
}

/**
 * Whether from `start` to `end` there is the content of a line's message, which begins at `message`, and nothing else: no other content,
 * nothing that follows a nested array, no NUL bytes of a crash. Other damage of a content is not noticed.
 */
function isContentOf(line: string, message: number, start: number, end: number): boolean {
  if (start < CONTENT.length || !line.startsWith(AFTER_CONTENT, end)) return false;
  if (!BEFORE_CONTENT.test(line.slice(message + MESSAGE.length, start))) return false;
  const content = line.slice(start, end);
  // An empty content of another message ends with its bracket.
  return !content.includes(PIECE) && !content.endsWith('[') && !content.includes('\0');
}

/** Reads what matters of a model's message; null for another layout. */
function readMessage(
  line: string,
  message: number,
  start: number,
  end: number,
  sessionOf: (head: string) => unknown,
): JsonObject | null {
  if (line.length - end > MAX_TAIL_LENGTH) return null;
  TAIL.lastIndex = end;
  const tail = TAIL.exec(line);
  const before = line.slice(message, start);
  const id = ID.exec(before);
  const model = MODEL.exec(before);
  if (tail === null || id === null || model === null) return null;
  const session = sessionOf(line.slice(HEAD.exec(line)![0].length, message - 1));
  if (!isObject(session)) return null;
  const usage = {
    input_tokens: Number(tail[1]),
    cache_creation_input_tokens: Number(tail[2]),
    cache_read_input_tokens: Number(tail[3]),
    output_tokens: Number(tail[4]),
  };
  return {
    isSidechain: session['isSidechain'],
    cwd: session['cwd'],
    sessionId: session['sessionId'],
    message: { id: id[1], model: parseJson(model[1]!), usage },
    requestId: tail[5],
    type: 'assistant',
    uuid: tail[6],
    timestamp: tail[7],
  };
}
