import type { Counts } from '../contract/signing/index.ts';
import type { Window } from '../contract/windows.ts';
import type { Methodology } from './methodologies/methodology.ts';
import type { BoardEntry, BoardOverview, OperatorHistory, Profile } from './types.ts';

/** An entry without its movement, display name and percentile: cheap to read for many operators. */
export interface BoardLine {
  readonly codename: string;
  readonly rank: number;
  readonly platform: string;
  readonly class_tier: string;
  readonly yield_: number;
  readonly leverage: number;
  readonly velocity: number;
}

/** A complete entry except for its movements. */
export interface BoardRow extends BoardLine {
  readonly display_name: string | null;
  readonly percentile: number;
}

/** Factors for an operator's totals. */
export interface CountFactors {
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
}

/** The what-if result for other totals. The operator's own entry is excluded from the ranking. */
export interface SimulatedStanding {
  readonly yield_: number;
  readonly leverage: number;
  readonly velocity: number;
  readonly class_tier: string;
  readonly rank: number;
  readonly percentile: number;
}

/** A consistent view of one board version, for reads that take several queries. */
export interface BoardView {
  readonly view: Pick<BoardOverview, 'version' | 'generatedAt' | 'totals'>;
  readonly methodology: Methodology;
  /** An operator's profile by codename (any case); null when there is none. */
  profile(codename: string): Promise<Profile | null>;
  /** Entries from `offset` (0-based) in board order, at most `limit`. */
  entries(window: Window, offset: number, limit: number): Promise<readonly BoardEntry[]>;
  /** As `entries`, without movements: much cheaper. */
  lines(window: Window, offset: number, limit: number): Promise<readonly BoardLine[]>;
  /** As `lines`, with display names and percentiles. */
  rows(window: Window, offset: number, limit: number): Promise<readonly BoardRow[]>;
  /** The 0-based position of an operator in board order; null when it is not on the board of the window. */
  position(codename: string, window: Window): Promise<number | null>;
  /** The highest operator number, ranked or not; null without operators. */
  highestNumber(): Promise<number | null>;
  /** Codenames of operators with numbers in [from, until) that have an all-time rank, ordered by number. */
  rankedNames(from: number, until: number): Promise<readonly string[]>;
  /**
   * The count of operators whose Yield is at least `yield_` (above 0). It equals the position of the first operator below it.
   */
  countAtLeast(window: Window, yield_: number): Promise<number>;
  /**
   * Returns the standing for each of `changes` to an operator's totals in a window, with the rest of the board unchanged:
   * null for totals that cannot be ranked. Returns null when the operator does not exist.
   */
  simulate(
    codename: string,
    window: Window,
    changes: readonly CountFactors[],
  ): Promise<readonly (SimulatedStanding | null)[] | null>;
  /** Listed codenames most similar to an unknown one, best match first, at most `limit`. */
  codenamesLike(codename: string, limit: number): Promise<readonly string[]>;
}

/** Follows the published board and serves reads from it. */
export interface BoardReader {
  /**
   * Runs a function on a consistent view of one board version. Runs it again when garbage collection removed that version
   * meanwhile.
   */
  ask<T>(question: (board: BoardView) => Promise<T>): Promise<T>;
  /** The newest version known to this process. */
  view(): BoardOverview;
  /** Calls the listener after each new version; the returned function unsubscribes. */
  onView(listener: (view: BoardOverview) => void): () => void;
  /** Checks for a newer version now, after a hint; a timer does the same. */
  refresh(): Promise<void>;
  /** An operator's profile by codename (any case); null when there is none. */
  profile(codename: string): Promise<Profile | null>;
  /**
   * The all-time rank of these totals on the current board, with the operator's own entry excluded; null when they cannot be
   * ranked.
   */
  rankOfTotals(operator: number, totals: Counts): Promise<number | null>;
  /** Entries from `offset` (0-based) in board order, at most `limit`. */
  slice(window: Window, offset: number, limit: number): Promise<readonly BoardEntry[]>;
  /** The operator's own entry with at most `around` entries on either side, in board order; empty when it is not ranked. */
  neighbours(codename: string, window: Window, around: number): Promise<readonly BoardEntry[]>;
  /** An operator's Yields and ranks on the kept boards and the current one; null when there is no such operator. */
  history(codename: string, window: Window): Promise<OperatorHistory | null>;
  close(): Promise<void>;
}
