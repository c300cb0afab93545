import { WINDOWS } from '../../../contract/windows.ts';

/** Windows a board has; tables of Yields hold one number per window and operator, in the order of `WINDOWS`. */
export const WINDOW_COUNT = WINDOWS.length;

/**
 * Entries of one window in board order: Yield descending, then sequence number ascending. The order is total, and this
 * is its one definition (`isBefore`). Both arrays have the same length.
 */
export interface BoardKeys {
  readonly yields: Float64Array;
  readonly operators: Uint32Array;
}

/** Whether the entry (yieldA, operatorA) stands before (yieldB, operatorB) in board order. */
export function isBefore(yieldA: number, operatorA: number, yieldB: number, operatorB: number): boolean {
  return yieldA > yieldB || (yieldA === yieldB && operatorA < operatorB);
}

/** No entries. */
export const NO_KEYS: BoardKeys = { yields: new Float64Array(0), operators: new Uint32Array(0) };
