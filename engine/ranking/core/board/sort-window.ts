import { type BoardKeys, WINDOW_COUNT } from './keys.ts';
import { sortSteps } from './sort-keys.ts';
import { finish, type Steps } from './steps.ts';

/**
 * The ranked operators of one window of a table of Yields (`WINDOW_COUNT` a slot, NaN = unranked) in board order. A −0
 * becomes 0.
 */
export function sortWindow(table: Float64Array, window: number): BoardKeys {
  return finish(sortWindowSteps(table, window));
}

/** The same in steps. The table may change after the first. */
export function* sortWindowSteps(table: Float64Array, window: number): Steps<BoardKeys> {
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
  return yield* sortSteps({ yields, operators });
}
