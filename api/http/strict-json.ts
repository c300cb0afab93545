import type { ProblemCode } from '../../engine/contract/index.ts';
import { Problem } from './problem.ts';

// A byte order mark is kept, so that JSON.parse refuses it: RFC 8259 forbids one.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses a JSON body, refusing what two parsers could read differently. @throws Problem body_missing, json_*. */
export function parseStrictJson(bytes: Uint8Array, maxDepth: number): unknown {
  if (bytes.length === 0) throw new Problem('body_missing');
  const text = decode(bytes);
  const value = parse(text);
  scanJson(text, maxDepth);
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new Problem('json_not_utf8', { cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The parser's message would repeat parts of the body in the response; it is only logged, as the cause.
    throw new Problem('json_malformed', { detail: 'The body could not be parsed as JSON.', cause });
  }
}

/** Keys that change an object's prototype when they are copied by assignment. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;

/** With the `u` flag a surrogate that has its pair is one character, so this finds only lone ones. */
const LONE_SURROGATE = /\p{Cs}/u;

/** An open container: the keys seen so far of an object, null for an array. */
type Frame = Set<string> | null;

/**
 * Checks a text that `JSON.parse` has accepted for the rest: nesting beyond `maxDepth` containers, keys that occur twice or are
 * named after prototypes, strings that are not well-formed Unicode. @throws Problem json_*.
 */
function scanJson(text: string, maxDepth: number): void {
  const frames: Frame[] = [];
  const hasEscapes = text.includes('\\');
  // The next string is a key when an object was just opened, or when a comma was just read inside one.
  let expectKey = false;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case OPEN_BRACE:
      case OPEN_BRACKET: {
        expectKey = text.charCodeAt(at) === OPEN_BRACE;
        frames.push(expectKey ? new Set() : null);
        if (frames.length > maxDepth) refuse('json_too_deep', `At most ${maxDepth} levels are read.`);
        break;
      }
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        frames.pop();
        expectKey = false;
        break;
      case COMMA:
        expectKey = frames.at(-1) instanceof Set;
        break;
      case QUOTE: {
        const end = hasEscapes ? endOfString(text, at) : text.indexOf('"', at + 1);
        checkString(text.slice(at, end + 1), expectKey ? frames.at(-1) : null);
        expectKey = false;
        at = end;
        break;
      }
      default:
    }
  }
}

/** The index of the quote that ends the string which starts at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/** Checks one string token; `keys` are those of the object in which it is a key, null when it is a value. */
function checkString(token: string, keys: Frame | undefined): void {
  const escaped = token.includes('\\');
  const isKey = keys instanceof Set;
  if (!escaped && !isKey) return;
  const value: string = escaped ? String(JSON.parse(token)) : token.slice(1, -1);
  if (escaped && LONE_SURROGATE.test(value)) refuse('json_lone_surrogate', 'A string has half a surrogate pair.');
  if (!isKey) return;
  if (FORBIDDEN_KEYS.has(value)) refuse('json_forbidden_key', `The key ${JSON.stringify(value)} is not allowed.`);
  if (keys.has(value)) refuse('json_duplicate_key', `The key ${shown(value)} occurs twice in one object.`);
  keys.add(value);
}

/** Characters of a key that are repeated in a problem's detail. */
const SHOWN_KEY_LENGTH = 64;

function shown(key: string): string {
  return JSON.stringify(key.length > SHOWN_KEY_LENGTH ? `${key.slice(0, SHOWN_KEY_LENGTH)}…` : key);
}

function refuse(code: ProblemCode, detail: string): never {
  throw new Problem(code, { detail });
}
