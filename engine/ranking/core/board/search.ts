import { type BoardKeys, isBefore } from './keys.ts';

/** How many of the keys have a Yield strictly greater than `y`. */
export function countKeysGreater(keys: BoardKeys, y: number): number {
  let low = 0;
  let high = keys.yields.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys.yields[middle]! > y) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of the keys stand before (y, operator) in board order. The first `from` keys are known to. */
export function countKeysBefore(keys: BoardKeys, y: number, operator: number, from = 0): number {
  let low = from;
  let high = keys.yields.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(keys.yields[middle]!, keys.operators[middle]!, y, operator)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where `operator` stands in an ascending list, or −1. */
export function indexOfOperator(operators: Uint32Array, operator: number): number {
  let low = 0;
  let high = operators.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (operators[middle]! < operator) low = middle + 1;
    else high = middle;
  }
  return operators[low] === operator ? low : -1;
}
