import type { ProblemCode } from '../../../engine/contract/index.ts';

/** Keys that would reach an object's prototype if someone copied them carelessly. */
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

/** Why well-formed JSON is refused all the same, with the key or depth at fault. */
export interface JsonRefusal {
  readonly code: Extract<
    ProblemCode,
    'json_too_deep' | 'json_duplicate_key' | 'json_forbidden_key' | 'json_lone_surrogate'
  >;
  readonly detail: string;
}

/** An open container: the keys seen so far of an object, null for an array. */
type Frame = Set<string> | null;

/**
 * Looks through a text that `JSON.parse` has accepted for what `JSON.parse` lets pass: nesting beyond `maxDepth`
 * containers, a key that occurs twice in one object, keys named after prototypes, strings that are not well-formed
 * Unicode. Null when there is nothing of the kind.
 */
export function scanJson(text: string, maxDepth: number): JsonRefusal | null {
  const frames: Frame[] = [];
  // The next string is a key when an object was just opened, or when a comma was just read inside one.
  let expectKey = false;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case OPEN_BRACE:
      case OPEN_BRACKET: {
        expectKey = text.charCodeAt(at) === OPEN_BRACE;
        frames.push(expectKey ? new Set() : null);
        if (frames.length > maxDepth) return refusal('json_too_deep', `At most ${maxDepth} levels are read.`);
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
        const end = endOfString(text, at);
        const refused = checkString(text.slice(at, end + 1), expectKey ? frames.at(-1) : null);
        if (refused !== null) return refused;
        expectKey = false;
        at = end;
        break;
      }
      default:
    }
  }
  return null;
}

/** The index of the quote that ends the string which starts at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/** Checks one string token; `keys` are those of the object in which it is a key, null when it is a value. */
function checkString(token: string, keys: Frame | undefined): JsonRefusal | null {
  const escaped = token.includes('\\');
  if (!escaped && !(keys instanceof Set)) return null;
  const value: string = escaped ? String(JSON.parse(token)) : token.slice(1, -1);
  if (escaped && LONE_SURROGATE.test(value))
    return refusal('json_lone_surrogate', 'A string has half a surrogate pair.');
  if (!(keys instanceof Set)) return null;
  if (FORBIDDEN_KEYS.has(value))
    return refusal('json_forbidden_key', `The key ${JSON.stringify(value)} is not allowed.`);
  if (keys.has(value)) return refusal('json_duplicate_key', `The key ${shown(value)} occurs twice in one object.`);
  keys.add(value);
  return null;
}

/** Characters of a key that are repeated in a problem's detail. */
const SHOWN_KEY_LENGTH = 64;

function shown(key: string): string {
  return JSON.stringify(key.length > SHOWN_KEY_LENGTH ? `${key.slice(0, SHOWN_KEY_LENGTH)}…` : key);
}

function refusal(code: JsonRefusal['code'], detail: string): JsonRefusal {
  return { code, detail };
}
