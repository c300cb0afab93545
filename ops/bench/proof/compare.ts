import { ROWS, rowState } from './rows.ts';
import type { Results } from './stored-results.ts';

/** How far a second run's ratio may be from the page's. */
export const MAX_CHANGE = 0.25;

/** One figure, measured twice. */
export interface Change {
  readonly what: string;
  readonly against: string;
  readonly first: number;
  readonly second: number;
  /** Of the second over the first, less one. */
  readonly change: number;
  /** Ratios to a peer of the same run are held; values beside a fixed limit follow the machine, and are told. */
  readonly held: boolean;
  readonly off: boolean;
}

/** The lines that both runs have a figure for. */
export function compareResults(first: Results, second: Results): readonly Change[] {
  return ROWS.flatMap((row) => {
    const [one, other] = [rowState(row, first).figure, rowState(row, second).figure];
    const held = row.kind === 'peer';
    const before = held ? one?.ratio : one?.value;
    const after = held ? other?.ratio : other?.value;
    if (typeof before !== 'number' || typeof after !== 'number') return [];
    const change = before === after ? 0 : after / before - 1;
    return [
      {
        what: row.what,
        against: row.against,
        first: before,
        second: after,
        change,
        held,
        off: held && !(Math.abs(change) <= MAX_CHANGE),
      },
    ];
  });
}
