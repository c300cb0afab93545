import type { RowState } from '../../contract/row-states.ts';
import { WINDOWS } from '../../contract/windows.ts';

/** How many rows of a window stand how. */
export type RowCounts = Readonly<Record<RowState, number>>;

/** No rows, of each window (WINDOWS). */
export function noRows(): Record<RowState, number>[] {
  return WINDOWS.map(() => ({ settled: 0, held: 0, excluded: 0 }));
}

/** The sums, by window. */
export function joinRows(parts: Iterable<readonly RowCounts[]>): RowCounts[] {
  const sums = noRows();
  for (const windows of parts) {
    for (const [window, { settled, held, excluded }] of windows.entries()) {
      const sum = sums[window]!;
      sums[window] = { settled: sum.settled + settled, held: sum.held + held, excluded: sum.excluded + excluded };
    }
  }
  return sums;
}
