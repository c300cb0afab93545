import { closeSync, openSync, readSync } from 'node:fs';

const HEAD_BYTES = 64;

/** How logs begin: a JSON text, perhaps after a byte order mark, a SQLite database, what zstd compressed. */
const KNOWN = /^(?:\u00ef\u00bb\u00bf)?\s*[{[]|^SQLite format 3|^\(\u00b5\/\u00fd/;

/** How text begins that age or PGP encrypted. */
const ARMOR = /^(?:age-encryption\.org\/|-----BEGIN (?:AGE|PGP) )/;

/** Whether a file begins as only encrypted or damaged logs do: neither as a log nor as text. Throws system errors. */
export function isEncrypted(path: string): boolean {
  const head = headOf(path);
  const text = head.toString('latin1');
  return !KNOWN.test(text) && (ARMOR.test(text) || !isText(head));
}

function headOf(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

/** A crash may leave zeros in a log, and the head may end within a character. */
function isText(head: Buffer): boolean {
  if (head.some((byte) => byte < 0x20 && byte !== 0 && !(byte >= 0x09 && byte <= 0x0d))) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
