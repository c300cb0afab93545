import { WINDOWS } from '../../../contract/windows.ts';

/** Number of windows of a board. Tables of Yields have one number per operator and window, in the order of `WINDOWS`. */
export const WINDOW_COUNT = WINDOWS.length;

/** In board order (`isBefore`): Yield descending, then sequence number ascending. Both arrays have the same length. */
export interface BoardKeys {
  readonly yields: Float64Array;
  readonly operators: Uint32Array;
}

/** Whether the entry (yieldA, operatorA) precedes (yieldB, operatorB) in board order. */
export function isBefore(yieldA: number, operatorA: number, yieldB: number, operatorB: number): boolean {
  return yieldA > yieldB || (yieldA === yieldB && operatorA < operatorB);
}

/** The elements from `start` on, before `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export const NO_KEYS: BoardKeys = { yields: new Float64Array(0), operators: new Uint32Array(0) };

/** Number of keys with a Yield strictly greater than `y`. */
export function countKeysGreater({ yields }: Pick<BoardKeys, 'yields'>, y: number): number {
  let low = 0;
  let high = yields.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (yields[middle]! > y) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Number of keys before (y, operator) in board order. */
export function countKeysBefore(keys: BoardKeys, y: number, operator: number): number {
  return countKeysBeforeWithin(keys, y, operator, { start: 0, end: keys.yields.length });
}

/** `countKeysBefore` when the first `from` keys are known to precede; fast when few more do. */
export function countKeysBeforeFrom(keys: BoardKeys, y: number, operator: number, from: number): number {
  const length = keys.yields.length;
  let low = from;
  for (let step = 1; low + step < length; step *= 2) {
    const probe = low + step;
    if (!isBefore(keys.yields[probe]!, keys.operators[probe]!, y, operator)) {
      return countKeysBeforeWithin(keys, y, operator, { start: low, end: probe });
    }
    low = probe + 1;
  }
  return countKeysBeforeWithin(keys, y, operator, { start: low, end: length });
}

/** `countKeysBefore` when the keys before the range are known to precede, and those after it not to. */
function countKeysBeforeWithin(keys: BoardKeys, y: number, operator: number, { start, end }: Range): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(keys.yields[middle]!, keys.operators[middle]!, y, operator)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of `operator` in an ascending array, or −1. */
export function indexOfOperator(operators: Uint32Array, operator: number): number {
  const at = firstWithin(operators, operator, 0, operators.length);
  return operators[at] === operator ? at : -1;
}

/** The index, from `from` on, of the first operator ≥ `operator` in an ascending array; fast when it is near `from`. */
export function firstFrom(operators: Uint32Array, operator: number, from: number): number {
  let low = from;
  for (let step = 1; low + step < operators.length; step *= 2) {
    const probe = low + step;
    if (operators[probe]! >= operator) return firstWithin(operators, operator, low, probe);
    low = probe + 1;
  }
  return firstWithin(operators, operator, low, operators.length);
}

function firstWithin(operators: Uint32Array, operator: number, from: number, to: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (operators[middle]! < operator) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Up to this many elements a loop costs less than creating a view for one block copy (measured). */
const LOOPED_ELEMENTS = 32;

/** Copies a range of `source` into `target` at `to`. */
export function copyRange<Elements extends Float64Array | Uint32Array>(
  source: Elements,
  { start, end }: Range,
  target: Elements,
  to: number,
): void {
  if (end - start > LOOPED_ELEMENTS) {
    target.set(source.subarray(start, end), to);
    return;
  }
  for (let at = start; at < end; at++) target[to + at - start] = source[at]!;
}
