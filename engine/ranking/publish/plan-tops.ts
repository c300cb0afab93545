import type { Methodology } from '../../../config/methodologies/methodology.ts';
import { WINDOWS } from '../../contract/windows.ts';
import { type Segment, WINDOW_COUNT } from '../core/board/index.ts';
import { scoreOf, tierOf } from '../core/score.ts';
import type { TopEntryDocument } from '../mongo/documents.ts';
import type { OperatorStore, OperatorSummary } from '../mongo/operator-store.ts';
import { readSlice } from '../read/board-ranks.ts';
import type { BoardState } from '../read/board-state.ts';
import { type Movement, NO_MOVEMENT } from '../read/movement.ts';
import { countsOf } from '../read/window-scores.ts';
import type { PublishedBoardSource } from './published-board.ts';

/** Entries of each window that are kept finished. */
export const TOP_ENTRIES = 100;

export interface TopsInput {
  /** The version about to be published. */
  readonly next: BoardState;
  readonly methodology: Methodology;
  readonly former: readonly TopEntryDocument[][];
  /** Records read for this commit, by operator. */
  readonly summaries: ReadonlyMap<number, OperatorSummary>;
  readonly segment: Segment;
  /** Whether every window must be made anew: the hour turned, so that movement refers to other boards. */
  readonly anew: boolean;
}

export interface TopsPlan {
  readonly windows: TopEntryDocument[][];
  /** Operators whose record has moved past the Yield on this board: they belong into the same commit. */
  readonly stale: number[];
}

/** The finished first entries of every window of the next version. */
export async function planTops(
  operators: OperatorStore,
  source: PublishedBoardSource,
  input: TopsInput,
): Promise<TopsPlan> {
  const windows: TopEntryDocument[][] = [];
  const stale = new Set<number>();
  for (let window = 0; window < WINDOWS.length; window++) {
    const former = input.former[window] ?? [];
    const kept = !input.anew && !isTouched(former, input, window);
    windows.push(kept ? former : await finishWindow(operators, source, input, window, stale));
  }
  return { windows, stale: [...stale] };
}

/** Whether a change reaches the first entries of a window, by Yield or by a listed operator's record. */
function isTouched(former: readonly TopEntryDocument[], { segment, summaries }: TopsInput, window: number): boolean {
  if (former.some(({ operator }) => summaries.has(operator))) return true;
  const last = former.at(-1);
  const least = last === undefined || former.length < TOP_ENTRIES ? 0 : last.yield_;
  for (let at = window; at < segment.before.length; at += WINDOW_COUNT) {
    if (segment.before[at]! >= least || segment.after[at]! >= least) return true;
  }
  return false;
}

async function finishWindow(
  operators: OperatorStore,
  source: PublishedBoardSource,
  input: TopsInput,
  window: number,
  stale: Set<number>,
): Promise<TopEntryDocument[]> {
  const ranked = await readSlice(source.pages, input.next, window, 0, TOP_ENTRIES);
  const former = new Map((input.former[window] ?? []).map((entry) => [entry.operator, entry]));
  const absent = ranked.filter(({ operator }) => !input.summaries.has(operator) && !former.has(operator));
  const fetched = new Map<number, OperatorSummary>();
  for (const summary of await operators.summaries(absent.map(({ operator }) => operator))) {
    fetched.set(summary.operator, summary);
  }
  const entries: TopEntryDocument[] = [];
  for (const { operator, yield_, rank } of ranked) {
    const summary = input.summaries.get(operator) ?? fetched.get(operator);
    const facts = summary === undefined ? former.get(operator) : factsOf(summary, input.methodology, window);
    if (facts === undefined || facts.yield_ !== yield_) {
      stale.add(operator);
      continue;
    }
    const ranks = WINDOWS.map((_, index) => (index === window ? rank : null));
    const movement = (await source.movements.of(input.next.root, operator, ranks))[window] ?? NO_MOVEMENT;
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
