import { WINDOWS } from '../../../contract/windows.ts';
import { type OperatorPage, ORDER_PAGE_ENTRIES } from './base-run.ts';
import type { OrderPage, WindowDirectory } from './directory.ts';
import { NO_KEYS, WINDOW_COUNT } from './keys.ts';
import { BOARD_KEY, BoardPartError, decodeHeader, encodeHeader, type PartKind, WINDOW_KEYS } from './part-header.ts';
import type { Segment } from './segment.ts';

// Stored parts are little-endian and are copied to and from memory unconverted, and sorting relies on the order of the
// words of a double. A big-endian host would silently corrupt boards, so loading this module fails there.
if (new Uint8Array(Uint16Array.of(1).buffer)[0] !== 1) throw new Error('boards require a little-endian host');

// A part is stored as its header and then its arrays, concatenated and little-endian. Tables have one column for each
// window in which the part has any number, operator by operator. Decoding throws BoardPartError for a part of another
// kind, board or length.

const FLOAT64_BYTES = Float64Array.BYTES_PER_ELEMENT;
const UINT32_BYTES = Uint32Array.BYTES_PER_ELEMENT;
const DIRECTORY_HEAD_NUMBERS = 2;
const DIRECTORY_HEAD_BYTES = DIRECTORY_HEAD_NUMBERS * FLOAT64_BYTES;
const DIRECTORY_PAGE_BYTES = 2 * FLOAT64_BYTES + UINT32_BYTES;

const ONLY_WINDOW = [0] as const;
const EVERY_WINDOW = [...WINDOWS.keys()];
const EMPTY_DIRECTORY: WindowDirectory = {
  pageEntries: ORDER_PAGE_ENTRIES,
  count: 0,
  firstYields: NO_KEYS.yields,
  firstOperators: NO_KEYS.operators,
  lastYields: NO_KEYS.yields,
};

/** Yields, operators: 12 bytes per entry. */
export function encodeOrderPage({ yields, operators }: OrderPage, window: number): Uint8Array {
  const key = WINDOW_KEYS[window]!;
  const header = encodeHeader({ kind: 'order page', key, present: ONLY_WINDOW, count: yields.length });
  return concatBytes([header, yields, operators]);
}

export function decodeOrderPage(bytes: Uint8Array, window: number): OrderPage {
  const { count, body } = decodeHeader(bytes, 'order page', WINDOW_KEYS[window]!);
  requireLength('order page', body, count * (FLOAT64_BYTES + UINT32_BYTES));
  return { yields: readFloat64s(body, 0, count), operators: readUint32s(body, count * FLOAT64_BYTES, count) };
}

/** Yields, ranks: 12 bytes per slot and window. */
export function encodeOperatorPage({ yields, ranks }: OperatorPage): Uint8Array {
  const count = yields.length / WINDOW_COUNT;
  const present = presentWindows((at) => !Number.isNaN(yields[at]!) || ranks[at] !== 0, yields.length);
  const header = encodeHeader({ kind: 'operator page', key: BOARD_KEY, present, count });
  return concatBytes([header, columns(yields, present), columns(ranks, present)]);
}

export function decodeOperatorPage(bytes: Uint8Array): OperatorPage {
  const { present, count, body } = decodeHeader(bytes, 'operator page', BOARD_KEY);
  const numbers = count * present.length;
  requireLength('operator page', body, numbers * (FLOAT64_BYTES + UINT32_BYTES));
  return {
    yields: yieldColumns(readFloat64s(body, 0, numbers), present, count),
    ranks: spread(
      readUint32s(body, numbers * FLOAT64_BYTES, numbers),
      present,
      () => new Uint32Array(count * WINDOW_COUNT),
    ),
  };
}

/** The directories of all windows: page size and count as doubles, then first Yields, last Yields, first operators. */
export function encodeDirectories(directories: readonly WindowDirectory[]): Uint8Array {
  const present = EVERY_WINDOW.filter((window) => directories[window]!.count > 0);
  const named = present.map((window) => directories[window]!);
  const pages = named.reduce((sum, { firstYields }) => sum + firstYields.length, 0);
  return concatBytes([
    encodeHeader({ kind: 'directory', key: BOARD_KEY, present, count: pages }),
    ...named.flatMap(({ pageEntries, count, firstYields, lastYields, firstOperators }) => [
      Float64Array.of(pageEntries, count),
      firstYields,
      lastYields,
      firstOperators,
    ]),
  ]);
}

export function decodeDirectories(bytes: Uint8Array): readonly WindowDirectory[] {
  const { present, count, body } = decodeHeader(bytes, 'directory', BOARD_KEY);
  requireLength('directory', body, present.length * DIRECTORY_HEAD_BYTES + count * DIRECTORY_PAGE_BYTES);
  const directories = WINDOWS.map((): WindowDirectory => EMPTY_DIRECTORY);
  let at = 0;
  for (const window of present) {
    const directory = readDirectory(body, at);
    directories[window] = directory;
    at += DIRECTORY_HEAD_BYTES + directory.firstYields.length * DIRECTORY_PAGE_BYTES;
  }
  requireLength('directory', body, at);
  return directories;
}

function readDirectory(body: Uint8Array, at: number): WindowDirectory {
  const [pageEntries = 0, count = 0] = readFloat64s(body, at, DIRECTORY_HEAD_NUMBERS);
  const pages = Math.ceil(count / pageEntries);
  const yieldBytes = pages * FLOAT64_BYTES;
  const start = at + DIRECTORY_HEAD_BYTES;
  if (!(pages > 0 && start + pages * DIRECTORY_PAGE_BYTES <= body.length)) {
    throw new BoardPartError('directory', `has no pages of ${pageEntries} entries for ${count}`);
  }
  return {
    pageEntries,
    count,
    firstYields: readFloat64s(body, start, pages),
    lastYields: readFloat64s(body, start + yieldBytes, pages),
    firstOperators: readUint32s(body, start + 2 * yieldBytes, pages),
  };
}

/** Yields before, Yields after, operators: 4 bytes per operator, and 16 for each window. */
export function encodeSegment({ operators, before, after }: Segment): Uint8Array {
  const present = presentWindows((at) => !(Number.isNaN(before[at]!) && Number.isNaN(after[at]!)), before.length);
  const header = encodeHeader({ kind: 'segment', key: BOARD_KEY, present, count: operators.length });
  return concatBytes([header, columns(before, present), columns(after, present), operators]);
}

export function decodeSegment(bytes: Uint8Array): Segment {
  const { present, count, body } = decodeHeader(bytes, 'segment', BOARD_KEY);
  const numbers = count * present.length;
  const yieldBytes = numbers * FLOAT64_BYTES;
  requireLength('segment', body, 2 * yieldBytes + count * UINT32_BYTES);
  return {
    before: yieldColumns(readFloat64s(body, 0, numbers), present, count),
    after: yieldColumns(readFloat64s(body, yieldBytes, numbers), present, count),
    operators: readUint32s(body, 2 * yieldBytes, count),
  };
}

/** The Yields of a range of operators in a re-rank: 8 bytes per operator and window. */
export function encodeRerankPart(yields: Float64Array): Uint8Array {
  const present = presentWindows((at) => !Number.isNaN(yields[at]!), yields.length);
  const header = encodeHeader({ kind: 'rerank part', key: BOARD_KEY, present, count: yields.length / WINDOW_COUNT });
  return concatBytes([header, columns(yields, present)]);
}

export function decodeRerankPart(bytes: Uint8Array): Float64Array {
  const { present, count, body } = decodeHeader(bytes, 'rerank part', BOARD_KEY);
  const numbers = count * present.length;
  requireLength('rerank part', body, numbers * FLOAT64_BYTES);
  return yieldColumns(readFloat64s(body, 0, numbers), present, count);
}

/** The header of top entries, whose entries are stored beside it: a list for each window that has any. */
export function encodeTopEntriesHeader(windows: readonly (readonly unknown[])[]): Uint8Array {
  const present = EVERY_WINDOW.filter((window) => windows[window]!.length > 0);
  return encodeHeader({ kind: 'top entries', key: BOARD_KEY, present, count: windows.flat().length });
}

/** The lists of top entries of all windows, from the stored ones. */
export function decodeTopEntries<Entry>(header: Uint8Array, stored: readonly Entry[][]): Entry[][] {
  const { present } = decodeHeader(header, 'top entries', BOARD_KEY);
  if (stored.length !== present.length) throw new BoardPartError('top entries', `has ${stored.length} windows`);
  return EVERY_WINDOW.map((window) => stored[present.indexOf(window)] ?? []);
}

function requireLength(kind: PartKind, body: Uint8Array, bytes: number): void {
  if (body.length !== bytes) throw new BoardPartError(kind, `has ${body.length} bytes after its header, not ${bytes}`);
}

/** The windows with a number in a table of `length` numbers. */
function presentWindows(isNumber: (at: number) => boolean, length: number): readonly number[] {
  return EVERY_WINDOW.filter((window) => {
    for (let at = window; at < length; at += WINDOW_COUNT) if (isNumber(at)) return true;
    return false;
  });
}

/** A table without the columns of absent windows. */
function columns(table: Float64Array | Uint32Array, present: readonly number[]): Float64Array | Uint32Array {
  return present.length === WINDOW_COUNT ? table : table.filter((_, at) => present.includes(at % WINDOW_COUNT));
}

function yieldColumns(stored: Float64Array, present: readonly number[], count: number): Float64Array {
  return spread(stored, present, () => new Float64Array(count * WINDOW_COUNT).fill(Number.NaN));
}

/** The table of all windows, from the columns of those present and an empty table. */
function spread<Table extends Float64Array | Uint32Array>(
  stored: Table,
  present: readonly number[],
  createTable: () => Table,
): Table {
  if (present.length === WINDOW_COUNT) return stored;
  const table = createTable();
  for (let at = 0; at < stored.length; at++) {
    const slot = Math.floor(at / present.length);
    table[slot * WINDOW_COUNT + present[at % present.length]!] = stored[at]!;
  }
  return table;
}

/** Concatenates arrays into a new byte array, little-endian. */
function concatBytes(arrays: ReadonlyArray<Float64Array | Uint32Array | Uint8Array>): Uint8Array {
  let length = 0;
  for (const array of arrays) length += array.byteLength;
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), offset);
    offset += array.byteLength;
  }
  return bytes;
}

/** Reads `length` doubles at `offset` into aligned memory: stored bytes may start at any address. */
function readFloat64s(bytes: Uint8Array, offset: number, length: number): Float64Array {
  const values = new Float64Array(length);
  new Uint8Array(values.buffer).set(bytes.subarray(offset, offset + length * FLOAT64_BYTES));
  return values;
}

/** Reads `length` unsigned 32-bit integers at `offset` into aligned memory. */
function readUint32s(bytes: Uint8Array, offset: number, length: number): Uint32Array {
  const values = new Uint32Array(length);
  new Uint8Array(values.buffer).set(bytes.subarray(offset, offset + length * UINT32_BYTES));
  return values;
}
