import { ROWS, rowState } from './rows.ts';
import type { Results } from './stored-results.ts';

/** Allowed relative difference of a second run's ratio. */
export const MAX_CHANGE = 0.25;

/** One figure, measured twice. */
export interface Change {
  readonly what: string;
  readonly against: string;
  readonly first: number;
  readonly second: number;
  /** Second over first, minus one. */
  readonly change: number;
  /** Ratios to a peer of the same run are checked; values with a fixed limit depend on the machine and are only reported. */
  readonly checked: boolean;
  readonly off: boolean;
}

/** The rows for which both runs have a figure. */
export function compareResults(first: Results, second: Results): readonly Change[] {
  return ROWS.flatMap((row) => {
    const [one, other] = [rowState(row, first).figure, rowState(row, second).figure];
    const checked = row.kind === 'peer';
    const before = checked ? one?.ratio : one?.value;
    const after = checked ? other?.ratio : other?.value;
    if (typeof before !== 'number' || typeof after !== 'number') return [];
    const change = before === after ? 0 : after / before - 1;
    return [
      {
        what: row.what,
        against: row.against,
        first: before,
        second: after,
        change,
        checked,
        off: checked && !(Math.abs(change) <= MAX_CHANGE),
      },
    ];
  });
}
