import { WINDOWS } from '../../../contract/windows.ts';

/** Number of windows of a board. Tables of Yields have one number per operator and window, in the order of `WINDOWS`. */
export const WINDOW_COUNT = WINDOWS.length;

/**
 * Entries of one window in board order: Yield descending, then sequence number ascending, a total order (`isBefore`). Both
 * arrays have the same length.
 */
export interface BoardKeys {
  readonly yields: Float64Array;
  readonly operators: Uint32Array;
}

/** Whether the entry (yieldA, operatorA) precedes (yieldB, operatorB) in board order. */
export function isBefore(yieldA: number, operatorA: number, yieldB: number, operatorB: number): boolean {
  return yieldA > yieldB || (yieldA === yieldB && operatorA < operatorB);
}

export const NO_KEYS: BoardKeys = { yields: new Float64Array(0), operators: new Uint32Array(0) };
