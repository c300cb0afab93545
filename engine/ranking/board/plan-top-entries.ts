import { WINDOWS } from '../../contract/windows.ts';
import { type RankedEntry, type Segment, WINDOW_COUNT } from '../core/board/index.ts';
import { scoreOf, tierOf } from '../core/score.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { readSlice } from '../read/board-ranks.ts';
import type { BoardState } from '../read/board-state.ts';
import { type Movement, NO_MOVEMENT } from '../read/movement.ts';
import { countsOf } from '../read/window-scores.ts';
import type { TopEntryDocument } from '../storage/documents.ts';
import type { OperatorStore, OperatorSummary } from '../storage/operator-store.ts';
import type { PublishedBoardSource } from './published-board.ts';

/** Entries of each window that are kept finished. */
export const TOP_ENTRIES = 100;

export interface TopEntriesInput {
  /** The version about to be published. */
  readonly next: BoardState;
  readonly methodology: Methodology;
  readonly former: readonly TopEntryDocument[][];
  /** Operators whose records may differ from what the former entries say. */
  readonly moved: ReadonlySet<number>;
  /** Records from which Yields on this board were made, where they are known. */
  readonly known: ReadonlyMap<number, OperatorSummary>;
  readonly segment: Segment;
  /** Whether every window must be made anew: the hour turned, so that movement refers to other boards. */
  readonly anew: boolean;
}

export interface TopEntriesPlan {
  readonly windows: TopEntryDocument[][];
  /** Operators whose record has moved past the Yield on this board: they belong into the same commit. */
  readonly stale: readonly number[];
  /** The records that the entries were made from, as far as they were not made from former entries. */
  readonly records: ReadonlyMap<number, OperatorSummary>;
}

/** The finished first entries of every window of the next version. */
export async function planTopEntries(
  operators: OperatorStore,
  source: PublishedBoardSource,
  input: TopEntriesInput,
): Promise<TopEntriesPlan> {
  const ranked = await Promise.all(
    WINDOWS.map(async (_, window) => {
      const kept = !input.anew && !isTouched(formerOf(input, window), input, window);
      return kept ? null : readSlice(source.pages, input.next, window, 0, TOP_ENTRIES);
    }),
  );
  const records = await readRecords(operators, input, ranked);
  const stale = new Set<number>();
  const windows = await Promise.all(
    ranked.map(async (slice, window) =>
      slice === null ? formerOf(input, window) : finishWindow(source, input, window, slice, records, stale),
    ),
  );
  return { windows, stale: [...stale], records };
}

function formerOf({ former }: TopEntriesInput, window: number): TopEntryDocument[] {
  return former[window] ?? [];
}

/** Whether a change reaches the first entries of a window, by Yield or by a listed operator's record. */
function isTouched(former: readonly TopEntryDocument[], { segment, moved }: TopEntriesInput, window: number): boolean {
  if (former.some(({ operator }) => moved.has(operator))) return true;
  const last = former.at(-1);
  const least = last === undefined || former.length < TOP_ENTRIES ? 0 : last.yield_;
  for (let at = window; at < segment.before.length; at += WINDOW_COUNT) {
    if (segment.before[at]! >= least || segment.after[at]! >= least) return true;
  }
  return false;
}

/** The records of those in the slices of whom the former entries of the window do not tell: read, unless they are known. */
async function readRecords(
  operators: OperatorStore,
  input: TopEntriesInput,
  slices: readonly (readonly RankedEntry[] | null)[],
): Promise<ReadonlyMap<number, OperatorSummary>> {
  const wanted = new Set<number>();
  for (const [window, slice] of slices.entries()) {
    const known = new Set(formerOf(input, window).map(({ operator }) => operator));
    for (const { operator } of slice ?? []) {
      if (input.moved.has(operator) || !known.has(operator)) wanted.add(operator);
    }
  }
  const unknown = [...wanted].filter((operator) => !input.known.has(operator));
  const records = new Map(input.known);
  if (unknown.length === 0) return records;
  for (const summary of await operators.summaries(unknown)) records.set(summary.operator, summary);
  return records;
}

async function finishWindow(
  source: PublishedBoardSource,
  input: TopEntriesInput,
  window: number,
  slice: readonly RankedEntry[],
  records: ReadonlyMap<number, OperatorSummary>,
  stale: Set<number>,
): Promise<TopEntryDocument[]> {
  const former = new Map(formerOf(input, window).map((entry) => [entry.operator, entry]));
  const entries: TopEntryDocument[] = [];
  for (const { operator, yield_, rank } of slice) {
    const summary = records.get(operator);
    const facts = summary === undefined ? former.get(operator) : factsOf(summary, input.methodology, window);
    if (facts === undefined || facts.yield_ !== yield_) {
      stale.add(operator);
      continue;
    }
    const ranks = WINDOWS.map((_, index) => (index === window ? rank : null));
    const movement = (await source.movements.of(input.next.manifest, operator, ranks))[window] ?? NO_MOVEMENT;
    entries.push(entryOf(operator, facts, rank, movement));
  }
  return entries;
}

/** What an entry says that follows from the operator's own record; undefined when that cannot be ranked any more. */
function factsOf(
  { codename, displayName, listed, totals, platforms }: OperatorSummary,
  methodology: Methodology,
  window: number,
) {
  const score = listed ? scoreOf(countsOf(totals, window), methodology) : null;
  if (score === null) return undefined;
  return {
    codename,
    display_name: displayName,
    platform: platforms[window] ?? '',
    class_tier: tierOf(score.yield_, methodology),
    ...score,
  };
}

type EntryFacts = Omit<TopEntryDocument, 'operator' | 'rank' | keyof Movement>;

function entryOf(operator: number, facts: EntryFacts, rank: number, movement: Movement): TopEntryDocument {
  const { codename, display_name, platform, class_tier, yield_, leverage, velocity } = facts;
  return { operator, codename, display_name, platform, class_tier, rank, yield_, leverage, velocity, ...movement };
}
