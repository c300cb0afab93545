import { type Cooperative, runToCompletion } from './cooperative.ts';
import { type BoardKeys, WINDOW_COUNT } from './keys.ts';
import { sortKeysCooperatively } from './sort-keys.ts';

/**
 * The ranked operators of one window of a table of Yields (`WINDOW_COUNT` per slot, NaN = unranked) in board order. Maps
 * −0 to 0.
 */
export function sortWindow(table: Float64Array, window: number): BoardKeys {
  return runToCompletion(sortWindowCooperatively(table, window));
}

/** Cooperative `sortWindow`. The table may change after the first step. */
export function* sortWindowCooperatively(table: Float64Array, window: number): Cooperative<BoardKeys> {
  let count = 0;
  for (let at = window; at < table.length; at += WINDOW_COUNT) {
    if (table[at]! >= 0) count++;
  }
  const yields = new Float64Array(count);
  const operators = new Uint32Array(count);
  let to = 0;
  for (let at = window, operator = 0; at < table.length; at += WINDOW_COUNT, operator++) {
    const y = table[at]!;
    if (!(y >= 0)) continue;
    yields[to] = y + 0;
    operators[to] = operator;
    to++;
  }
  yield;
  return yield* sortKeysCooperatively({ yields, operators });
}
