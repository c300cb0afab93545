const OPENING = '[{';
const CLOSING = ']}';
const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);

/** What a byte outside of the strings of a JSON text adds to the depth; `NONE` for one that cannot be there. */
const NONE = 2;
const DEPTHS = new Int8Array(256).fill(NONE);
for (const each of ' \t\r\n,:+-.0123456789eEtrufalsn') DEPTHS[each.charCodeAt(0)] = 0;
for (const each of OPENING) DEPTHS[each.charCodeAt(0)] = 1;
for (const each of CLOSING) DEPTHS[each.charCodeAt(0)] = -1;

/**
 * The text of a JSON object in UTF-8 without the elements of the first array after `mark`. Parsing them would take most of the
 * time of a scan. `mark` is a comma and a name with its quotes, which no string contains: quotes in strings are escaped. Returns
 * the whole text where there is no such array, or it does not end; and with NUL bytes, which a crash of the system can leave in
 * place of the end of one line and the beginning of another.
 */
export function withoutArray(bytes: Buffer, mark: string): string {
  // One character for each byte: an index into it is one into the bytes.
  const text = bytes.toString('latin1');
  const start = text.indexOf(mark) + mark.length;
  const end = start < mark.length || text.includes('\0') ? -1 : endOfArray(text, start);
  return end < 0 ? bytes.toString() : bytes.toString('utf8', 0, start + 1) + bytes.toString('utf8', end);
}

/** Where the array that begins at `start` ends; −1 without an end, or at what is not JSON. */
function endOfArray(text: string, start: number): number {
  if (text[start] !== '[') return -1;
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (at < 0) return -1;
      continue;
    }
    const change = DEPTHS[code]!;
    if (change === NONE) return -1;
    depth += change;
    if (depth === 0) return text[at] === ']' ? at : -1;
  }
  return -1;
}

/** Where the string that begins at `start` ends: at a quote after an even number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let first = quote;
    while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((quote - first) % 2 === 0) return quote;
  }
  return -1;
}
