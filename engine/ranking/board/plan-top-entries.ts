import { WINDOWS } from '../../contract/windows.ts';
import type { RankingContext } from '../context.ts';
import { makeSegment, type RankedEntry, type Segment, WINDOW_COUNT } from '../core/board/index.ts';
import { entriesOf, type WindowEntry } from '../core/entry.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { readSlice } from '../read/board-ranks.ts';
import type { BoardState } from '../read/board-state.ts';
import { movementIn } from '../read/movement.ts';
import type { TopEntryDocument } from '../storage/board-parts.ts';
import type { OperatorStore, OperatorSummary } from '../storage/operators.ts';
import type { Movement } from '../types.ts';
import type { PublishedBoardSource } from './published-board.ts';

/** Entries per window that are stored ready to serve. */
export const TOP_ENTRIES = 100;

export interface TopEntriesInput {
  /** The version about to be published. */
  readonly next: BoardState;
  readonly methodology: Methodology;
  readonly former: readonly TopEntryDocument[][];
  /** Operators whose records may differ from the former entries. */
  readonly dirty: ReadonlySet<number>;
  /** Records already read, from which Yields of this version were computed. */
  readonly known: ReadonlyMap<number, OperatorSummary>;
  readonly segment: Segment;
  /** Whether to rebuild every window, and its movements: at a new hour they refer to other boards. */
  readonly rebuildAll: boolean;
}

export interface TopEntriesPlan {
  readonly windows: TopEntryDocument[][];
  /** Operators whose record no longer gives the Yield on this board: rescore them in the same commit. */
  readonly stale: readonly number[];
  /** The records of the entries that were not copied from former entries. */
  readonly records: ReadonlyMap<number, OperatorSummary>;
}

/** Plans the top entries of all windows from the records. */
export function planAllTopEntries(
  { stores }: Pick<RankingContext, 'stores'>,
  source: PublishedBoardSource,
  next: BoardState,
  methodology: Methodology,
): Promise<TopEntriesPlan> {
  const nothing = { former: [], dirty: new Set<number>(), known: new Map(), segment: makeSegment([]) };
  return planTopEntries(stores.operators, source, { next, methodology, ...nothing, rebuildAll: true });
}

export async function planTopEntries(
  operators: OperatorStore,
  source: PublishedBoardSource,
  input: TopEntriesInput,
): Promise<TopEntriesPlan> {
  const ranked = await Promise.all(
    WINDOWS.map(async (_, window) => {
      const kept = !input.rebuildAll && !isTouched(formerOf(input, window), input, window);
      return kept ? null : readSlice(source.pages, input.next, { window, offset: 0, limit: TOP_ENTRIES });
    }),
  );
  const records = await readRecords(operators, input, ranked);
  const unplaced = new Map(
    Array.from(
      records,
      ([operator, summary]) => [operator, summary.listed ? entriesOf(summary, input.methodology) : []] as const,
    ),
  );
  const stale = new Set<number>();
  const windows = await Promise.all(
    ranked.map(async (slice, window) =>
      slice === null ? formerOf(input, window) : windowEntries(source, input, window, slice, unplaced, stale),
    ),
  );
  return { windows, stale: [...stale], records };
}

function formerOf({ former }: TopEntriesInput, window: number): TopEntryDocument[] {
  return former[window] ?? [];
}

/** Whether a change affects the top entries of a window, by Yield or by the record of an operator among them. */
function isTouched(former: readonly TopEntryDocument[], { segment, dirty }: TopEntriesInput, window: number): boolean {
  if (former.some(({ operator }) => dirty.has(operator))) return true;
  const last = former.at(-1);
  const least = last === undefined || former.length < TOP_ENTRIES ? 0 : last.yield_;
  for (let at = window; at < segment.before.length; at += WINDOW_COUNT) {
    if (segment.before[at]! >= least || segment.after[at]! >= least) return true;
  }
  return false;
}

/** Reads the records of operators in the slices that the former entries do not cover, unless they are known. */
async function readRecords(
  operators: OperatorStore,
  input: TopEntriesInput,
  slices: readonly (readonly RankedEntry[] | null)[],
): Promise<ReadonlyMap<number, OperatorSummary>> {
  const wanted = new Set<number>();
  for (const [window, slice] of slices.entries()) {
    const known = new Set(formerOf(input, window).map(({ operator }) => operator));
    for (const { operator } of slice ?? []) {
      if (input.dirty.has(operator) || !known.has(operator)) wanted.add(operator);
    }
  }
  const unknown = [...wanted].filter((operator) => !input.known.has(operator));
  const records = new Map(input.known);
  if (unknown.length === 0) return records;
  for (const summary of await operators.summaries(unknown)) records.set(summary.operator, summary);
  return records;
}

async function windowEntries(
  source: PublishedBoardSource,
  input: TopEntriesInput,
  window: number,
  slice: readonly RankedEntry[],
  unplaced: ReadonlyMap<number, readonly WindowEntry[]>,
  stale: Set<number>,
): Promise<TopEntryDocument[]> {
  const former = new Map(formerOf(input, window).map((entry) => [entry.operator, entry]));
  const entries: TopEntryDocument[] = [];
  for (const { operator, yield_, rank } of slice) {
    const earlier = former.get(operator);
    const read = unplaced.get(operator);
    const entry = read === undefined ? earlier : read[window]?.entry;
    if (entry === null || entry === undefined || entry.yield_ !== yield_) {
      stale.add(operator);
      continue;
    }
    const isComparable = earlier !== undefined && !input.rebuildAll;
    const movement = isComparable
      ? movementTo(rank, earlier)
      : await movementIn(source, input.next.manifest, { operator, window, rank });
    entries.push({ ...entry, operator, rank, ...movement });
  }
  return entries;
}

/** The movement at `rank` of an operator whose entry on an earlier board of the hour is measured from the same boards. */
function movementTo(rank: number, { rank: earlier, movement_24h, movement_7d }: TopEntryDocument): Movement {
  const gained = earlier - rank;
  return {
    movement_24h: movement_24h === null ? null : movement_24h + gained,
    movement_7d: movement_7d === null ? null : movement_7d + gained,
  };
}
