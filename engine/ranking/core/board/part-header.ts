import { WINDOWS } from '../../../contract/windows.ts';

// Every stored board part begins with a header (integers are little-endian):
//
//   0  4  magic, `UPSB`
//   4  1  format version
//   5  1  kind of part
//   6  2  the windows of the key that the part has: bit i is the key's i-th window. Others cost nothing
//   8  4  number of elements: entries, slots, changes or pages
//  12  1  length of the board key
//  13  …  board key in ASCII: scope, colon, all windows that the writer knew, separated by commas
//
// A part of another board, or from a release with other windows, is refused: its numbers would be read as those of others.

const MAGIC = 'UPSB';
const FORMAT = 1;
const KEY_AT = 13;

/** Positions are stored: append only. */
const KINDS = ['order page', 'operator page', 'directory', 'segment', 'top entries', 'rerank part'] as const;

export type PartKind = (typeof KINDS)[number];

/** Whom the board ranks: everybody, the only scope so far. */
const SCOPE = 'all';

/** The key of the parts of all windows of the board. */
export const BOARD_KEY = boardKey(WINDOWS);

/** The keys of the parts of one window, by its index. */
export const WINDOW_KEYS: readonly string[] = WINDOWS.map((name) => boardKey([name]));

function boardKey(windows: readonly string[]): string {
  return `${SCOPE}:${windows.join(',')}`;
}

/** A stored part that this release cannot read: damaged, of another kind, or of another board. */
export class BoardPartError extends Error {
  override readonly name = 'BoardPartError';

  constructor(kind: PartKind, problem: string) {
    super(`${kind}: ${problem}`);
  }
}

export interface PartHeader {
  readonly kind: PartKind;
  readonly key: string;
  /** Indexes, within the key, of the windows that the part has; ascending. */
  readonly present: readonly number[];
  readonly count: number;
}

export function encodeHeader({ kind, key, present, count }: PartHeader): Uint8Array {
  const bytes = new Uint8Array(KEY_AT + key.length);
  const view = new DataView(bytes.buffer);
  writeText(bytes, 0, MAGIC);
  bytes[4] = FORMAT;
  bytes[5] = KINDS.indexOf(kind);
  view.setUint16(
    6,
    present.reduce((mask, window) => mask | (1 << window), 0),
    true,
  );
  view.setUint32(8, count, true);
  bytes[12] = key.length;
  writeText(bytes, KEY_AT, key);
  return bytes;
}

/** The header of a part, and the bytes after it. Throws BoardPartError unless it is of this kind and key. */
export function decodeHeader(
  bytes: Uint8Array,
  kind: PartKind,
  key: string,
): Pick<PartHeader, 'present' | 'count'> & { readonly body: Uint8Array } {
  if (bytes.length < KEY_AT || !hasText(bytes, 0, MAGIC)) {
    throw new BoardPartError(kind, `${bytes.length} bytes have no header of a board part`);
  }
  if (bytes[4] !== FORMAT) throw new BoardPartError(kind, `stored in format ${bytes[4]}, not ${FORMAT}`);
  const storedKind = KINDS[bytes[5]!];
  if (storedKind !== kind) throw new BoardPartError(kind, `stored as ${storedKind ?? 'an unknown kind of part'}`);
  if (bytes[12] !== key.length || !hasText(bytes, KEY_AT, key)) {
    const storedKey = String.fromCharCode(...bytes.subarray(KEY_AT, KEY_AT + bytes[12]!));
    throw new BoardPartError(kind, `stored for the board ${storedKey}, not ${key}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const mask = view.getUint16(6, true);
  const windows = key.split(',').length;
  if (mask >>> windows !== 0) throw new BoardPartError(kind, `has windows that ${key} does not name`);
  const present: number[] = [];
  for (let window = 0; window < windows; window++) if ((mask & (1 << window)) !== 0) present.push(window);
  return { present, count: view.getUint32(8, true), body: bytes.subarray(KEY_AT + key.length) };
}

function writeText(bytes: Uint8Array, at: number, text: string): void {
  for (let index = 0; index < text.length; index++) bytes[at + index] = text.charCodeAt(index);
}

function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text.charCodeAt(index)) return false;
  return true;
}
