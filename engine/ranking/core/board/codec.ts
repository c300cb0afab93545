import type { OperatorPage } from './base-run.ts';
import { concatBytes, FLOAT64_BYTES, readFloat64s, readUint32s, UINT32_BYTES } from './bytes.ts';
import type { OrderPage, WindowDirectory } from './directory.ts';
import { WINDOW_COUNT } from './keys.ts';
import type { Segment } from './segment.ts';

// Every part is stored as its arrays, concatenated and little-endian. The number of elements follows from the length of
// the part, so that decoding detects a truncated part.

const KEY_BYTES = FLOAT64_BYTES + UINT32_BYTES;
const SLOT_BYTES = WINDOW_COUNT * (FLOAT64_BYTES + UINT32_BYTES);
const DIRECTORY_HEAD_NUMBERS = 2;
const DIRECTORY_HEAD_BYTES = DIRECTORY_HEAD_NUMBERS * FLOAT64_BYTES;
const DIRECTORY_PAGE_BYTES = 2 * FLOAT64_BYTES + UINT32_BYTES;
const CHANGE_BYTES = UINT32_BYTES + 2 * WINDOW_COUNT * FLOAT64_BYTES;

/** Yields, operators: 12 bytes per entry. */
export function encodeOrderPage(page: OrderPage): Uint8Array {
  return concatBytes([page.yields, page.operators]);
}

/** Throws an Error for a length that no order page has. */
export function decodeOrderPage(bytes: Uint8Array): OrderPage {
  const entries = elementsIn(bytes.length, KEY_BYTES, 1, 'order page');
  return {
    yields: readFloat64s(bytes, 0, entries),
    operators: readUint32s(bytes, entries * FLOAT64_BYTES, entries),
  };
}

/** Yields, ranks: 48 bytes per slot. */
export function encodeOperatorPage(page: OperatorPage): Uint8Array {
  return concatBytes([page.yields, page.ranks]);
}

/** Throws an Error for a length that no operator page has. */
export function decodeOperatorPage(bytes: Uint8Array): OperatorPage {
  const numbers = elementsIn(bytes.length, SLOT_BYTES, 1, 'operator page') * WINDOW_COUNT;
  return {
    yields: readFloat64s(bytes, 0, numbers),
    ranks: readUint32s(bytes, numbers * FLOAT64_BYTES, numbers),
  };
}

/** Page size and count as doubles, then first Yields, last Yields, first operators: 16 bytes plus 20 per page. */
export function encodeDirectory(directory: WindowDirectory): Uint8Array {
  const head = Float64Array.of(directory.pageEntries, directory.count);
  return concatBytes([head, directory.firstYields, directory.lastYields, directory.firstOperators]);
}

/** Throws an Error when the length contradicts the page size and count in the header. */
export function decodeDirectory(bytes: Uint8Array): WindowDirectory {
  const pages = elementsIn(bytes.length - DIRECTORY_HEAD_BYTES, DIRECTORY_PAGE_BYTES, 0, 'directory');
  const head = readFloat64s(bytes, 0, DIRECTORY_HEAD_NUMBERS);
  const pageEntries = head[0]!;
  const count = head[1]!;
  if (pages !== Math.ceil(count / pageEntries)) {
    throw new Error(`directory: ${pages} pages of ${pageEntries} entries cannot hold ${count}`);
  }
  const yieldBytes = pages * FLOAT64_BYTES;
  return {
    pageEntries,
    count,
    firstYields: readFloat64s(bytes, DIRECTORY_HEAD_BYTES, pages),
    lastYields: readFloat64s(bytes, DIRECTORY_HEAD_BYTES + yieldBytes, pages),
    firstOperators: readUint32s(bytes, DIRECTORY_HEAD_BYTES + 2 * yieldBytes, pages),
  };
}

/** Yields before, Yields after, operators: 68 bytes per operator. */
export function encodeSegment(segment: Segment): Uint8Array {
  return concatBytes([segment.before, segment.after, segment.operators]);
}

/** Throws an Error for a length that no segment has. */
export function decodeSegment(bytes: Uint8Array): Segment {
  const changes = elementsIn(bytes.length, CHANGE_BYTES, 0, 'segment');
  const yieldBytes = changes * WINDOW_COUNT * FLOAT64_BYTES;
  return {
    before: readFloat64s(bytes, 0, changes * WINDOW_COUNT),
    after: readFloat64s(bytes, yieldBytes, changes * WINDOW_COUNT),
    operators: readUint32s(bytes, 2 * yieldBytes, changes),
  };
}

function elementsIn(length: number, elementBytes: number, minimum: number, part: string): number {
  const elements = length / elementBytes;
  if (!Number.isInteger(elements) || elements < minimum) {
    throw new Error(`${part}: ${length} bytes are not a valid number of elements of ${elementBytes} bytes`);
  }
  return elements;
}
