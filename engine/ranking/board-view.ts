import type { Counts } from '../contract/signing/index.ts';
import type { Window } from '../contract/windows.ts';
import type { Methodology } from './methodologies/methodology.ts';
import type { BoardEntry, BoardOverview, OperatorHistory, Profile } from './types.ts';

/** An entry without its movement: what one needs of many entries at once. */
export interface BoardLine {
  readonly codename: string;
  readonly rank: number;
  readonly platform: string;
  readonly class_tier: string;
  readonly yield_: number;
  readonly leverage: number;
  readonly velocity: number;
}

/** A line with everything an entry has but its movement. */
export interface BoardRow extends BoardLine {
  readonly display_name: string | null;
  readonly percentile: number;
}

/** What to multiply an operator's totals with. */
export interface CountFactors {
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
}

/** Where other totals would put an operator whose own entry is left out. */
export interface SimulatedStanding {
  readonly yield_: number;
  readonly leverage: number;
  readonly velocity: number;
  readonly class_tier: string;
  readonly rank: number;
  readonly percentile: number;
}

/** One board version, for questions that take several reads and must get one answer. */
export interface BoardView {
  readonly view: Pick<BoardOverview, 'version' | 'generatedAt' | 'totals'>;
  readonly methodology: Methodology;
  /** An operator's profile by codename (any case); null when there is none. */
  profile(codename: string): Promise<Profile | null>;
  /** Entries from `offset` (0-based) in board order, at most `limit`. */
  entries(window: Window, offset: number, limit: number): Promise<readonly BoardEntry[]>;
  /** The same without movements, at a fraction of the cost. */
  lines(window: Window, offset: number, limit: number): Promise<readonly BoardLine[]>;
  /** The same with display names and percentiles. */
  rows(window: Window, offset: number, limit: number): Promise<readonly BoardRow[]>;
  /** The 0-based position of an operator in board order; null when it is not on the board of the window. */
  position(codename: string, window: Window): Promise<number | null>;
  /** The highest number that an operator has, on the board or not; null while there are none. */
  highestNumber(): Promise<number | null>;
  /** Codenames of operators numbered from `from` to below `until` that are ranked of all time, by number. */
  rankedNames(from: number, until: number): Promise<readonly string[]>;
  /** How many operators have at least this Yield (above 0), which is also the position of the first that has less. */
  countAtLeast(window: Window, yield_: number): Promise<number>;
  /**
   * What each of `changes` to an operator's totals of a window would make of it, the rest of the board unchanged; null for
   * totals that cannot be ranked, and altogether when there is no such operator.
   */
  simulate(
    codename: string,
    window: Window,
    changes: readonly CountFactors[],
  ): Promise<readonly (SimulatedStanding | null)[] | null>;
  /** Listed codenames most like one that does not exist, the likest first, at most `limit`. */
  codenamesLike(codename: string, limit: number): Promise<readonly string[]>;
}

/** Follows the published board and answers from it. */
export interface BoardReader {
  /** Puts a question that takes several reads; all see one board version. Asked again if that was swept meanwhile. */
  ask<T>(question: (board: BoardView) => Promise<T>): Promise<T>;
  /** The newest version known here. */
  view(): BoardOverview;
  /** Calls the listener after each new version; the answer unsubscribes. */
  onView(listener: (view: BoardOverview) => void): () => void;
  /** Looks for a newer version now (a hint arrived); also done on a timer. */
  refresh(): Promise<void>;
  /** An operator's profile by codename (any case); null when there is none. */
  profile(codename: string): Promise<Profile | null>;
  /** The all-time rank these totals have on the current board, the operator's own former entry left out; null if unrankable. */
  rankOfTotals(operator: number, totals: Counts): Promise<number | null>;
  /** Entries from `offset` (0-based) in board order, at most `limit`. */
  slice(window: Window, offset: number, limit: number): Promise<readonly BoardEntry[]>;
  /** The operator's own entry with at most `around` entries on either side, in board order; empty when it is not ranked. */
  neighbours(codename: string, window: Window, around: number): Promise<readonly BoardEntry[]>;
  /** An operator's Yields and ranks on the kept boards and the current one; null when there is no such operator. */
  history(codename: string, window: Window): Promise<OperatorHistory | null>;
  close(): Promise<void>;
}
