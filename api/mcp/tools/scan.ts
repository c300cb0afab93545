import type { Window } from '../../../engine/contract/index.ts';
import type { BoardLine, BoardView } from '../../../engine/ranking/index.ts';

/** Entries read on each side of an operator. */
export const REACH = 250;

/** Entries read in a search for a platform's best operator, and how many at a time. */
export const SEARCHED = 1_000;
const SEARCHED_AT_A_TIME = 250;

/** The entries around an operator. */
export interface Neighbourhood {
  /** In board order, without the operator itself. */
  readonly lines: readonly BoardLine[];
  readonly more: { readonly above: boolean; readonly below: boolean };
}

/** Reads at most `reach` entries on each side of a position (0-based). */
export async function readNeighbourhood(
  board: BoardView,
  window: Window,
  position: number,
  codename: string,
  reach: number,
): Promise<Neighbourhood> {
  const offset = Math.max(0, position - reach);
  const end = position + reach + 1;
  const lines = await board.lines(window, offset, end - offset);
  return {
    lines: lines.filter((line) => line.codename !== codename),
    more: { above: offset > 0, below: end < board.view.totals[window] },
  };
}

/** The first entry in [start, end) that `wanted` takes, of the first `SEARCHED`; and what was seen on the way. */
export async function searchFrom(
  board: BoardView,
  window: Window,
  { start, end }: { readonly start: number; readonly end: number },
  wanted: (line: BoardLine) => boolean,
): Promise<{ readonly found: BoardLine | null; readonly searched: number; readonly seen: readonly BoardLine[] }> {
  const seen: BoardLine[] = [];
  const last = Math.min(end, start + SEARCHED);
  for (let offset = start; offset < last; offset += SEARCHED_AT_A_TIME) {
    const lines = await board.lines(window, offset, Math.min(SEARCHED_AT_A_TIME, last - offset));
    const at = lines.findIndex(wanted);
    seen.push(...(at < 0 ? lines : lines.slice(0, at + 1)));
    if (at >= 0) return { found: lines[at]!, searched: seen.length, seen };
  }
  return { found: null, searched: last - start, seen };
}
