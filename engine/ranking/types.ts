import type { RefusalCode } from '../contract/refusals.ts';
import type { Counts, SignedPayload } from '../contract/signing/index.ts';
import type { Window } from '../contract/windows.ts';

/** The present moment in milliseconds since the epoch. Injected everywhere; nothing else tells the time. */
export type Clock = () => number;

/** A snapshot as it stands in the log. `operator` is a sequence number. */
export interface LogEntry {
  readonly operator: number;
  readonly jti: string;
  /** Milliseconds since the epoch; everything about the entry is judged as of this moment. */
  readonly receivedAt: number;
  readonly payload: SignedPayload;
  /** The detached compact JWS as it was sent. */
  readonly signature: string;
}

/** A device key as verification needs it. `publicKey` is the raw Ed25519 key, base64url (JWK member `x`). */
export interface DeviceKey {
  readonly kid: string;
  readonly operator: number;
  readonly publicKey: string;
  /** Milliseconds since the epoch; null while the key is valid. */
  readonly revokedAt: number | null;
}

/**
 * Finds device keys by `kid`; keys that do not exist are absent from the answer. A revocation is always known; who a key
 * belongs to may be remembered from before it changed hands, unless `fresh`.
 */
export type DeviceKeyLookup = (kids: readonly string[], fresh?: boolean) => Promise<ReadonlyMap<string, DeviceKey>>;

/** A secret of this installation, the same in every process. It never changes. */
export type SharedSecret = (name: string) => Promise<string>;

/** What became of one log entry. */
export type Verdict =
  | {
      readonly operator: number;
      readonly jti: string;
      readonly accepted: true;
      /** False when the totals were not above what was known. */
      readonly changed: boolean;
    }
  | {
      readonly operator: number;
      readonly jti: string;
      readonly accepted: false;
      readonly reason: RefusalCode;
      readonly detail: string;
    };

/** The verdicts of one group of log entries, with what the answers to their senders need. */
export interface BatchVerdict {
  readonly batch: string;
  readonly verdicts: readonly Verdict[];
  /** All-time totals after the fold, by sequence number, of every operator with an accepted entry. */
  readonly totals: ReadonlyArray<readonly [operator: number, totals: Counts]>;
}

/** What became of an entry offered to the log. */
export type AppendOutcome =
  | { readonly kind: 'stored'; readonly batch: string }
  /** The same operator, `jti` and content were logged before: that entry's group has, or will have, the verdict. */
  | { readonly kind: 'repeated'; readonly batch: string }
  /** The same operator and `jti` were logged before with other content. */
  | { readonly kind: 'conflict' };

/** A score in one window, or nulls for an operator that cannot be ranked there. */
export interface WindowScore {
  readonly yield_: number | null;
  readonly leverage: number | null;
  readonly velocity: number | null;
  readonly class_tier: string | null;
  readonly rank: number | null;
  readonly percentile: number | null;
  readonly movement_24h: number | null;
  readonly movement_7d: number | null;
}

/** One line of a board, finished: contract, part 2, LeaderboardEntry. */
export interface BoardEntry {
  readonly codename: string;
  readonly display_name: string | null;
  readonly rank: number;
  readonly percentile: number;
  readonly platform: string;
  readonly class_tier: string;
  readonly yield_: number;
  readonly leverage: number;
  readonly velocity: number;
  readonly movement_24h: number | null;
  readonly movement_7d: number | null;
}

/** An operator on the current board: contract, part 2, OperatorProfile, with the other windows beside `all_time`. */
export interface Profile extends WindowScore {
  /** The board version that it is of, and the methodology that made that. */
  readonly board_version: number;
  readonly methodology: number;
  readonly codename: string;
  readonly display_name: string | null;
  readonly platform: string;
  readonly cascade_str: string | null;
  readonly windows: Readonly<Record<Window, WindowScore>>;
}

/** A published board version as readers hold it. Immutable. */
export interface BoardOverview {
  readonly version: number;
  readonly methodology: number;
  /** Milliseconds since the epoch. */
  readonly generatedAt: number;
  /** When the hour began for which all totals are true, in milliseconds since the epoch. */
  readonly hourBeganAt: number;
  /** Ranked operators by window. */
  readonly totals: Readonly<Record<Window, number>>;
  /** The first 100 entries by window. */
  readonly topEntries: Readonly<Record<Window, readonly BoardEntry[]>>;
}

/** What one board said of an operator: nulls where it was not ranked. */
export interface HistoryPoint {
  /** The board's moment, in milliseconds since the epoch. */
  readonly at: number;
  /** The methodology that made the board. */
  readonly methodology: number;
  readonly yield_: number | null;
  readonly rank: number | null;
}

/** A change of the board's methodology, with an operator's place right before and right after it. */
export interface MethodologyChange {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly before: Pick<HistoryPoint, 'methodology' | 'rank' | 'yield_'>;
  readonly after: Pick<HistoryPoint, 'methodology' | 'rank' | 'yield_'>;
}

/**
 * Why a rank changed. Positive = climbed, and `own` + `field` + `method` = `change`. All null where it was not ranked at an
 * end of the way; the three are null where it was not ranked in between.
 */
export interface RankChange {
  /** The moment of the former board, in milliseconds since the epoch. */
  readonly since: number;
  readonly rank_then: number | null;
  readonly rank_now: number | null;
  readonly change: number | null;
  /** Places by the operator's own Yield, the others left as they were then. */
  readonly own: number | null;
  /** Places by the others' Yields. */
  readonly field: number | null;
  /** Places by changes of the methodology: the same records, ranked anew. */
  readonly method: number | null;
}

/** An operator's way over the boards in one window, oldest first; the last point is the current board's. */
export interface OperatorHistory {
  readonly codename: string;
  readonly window: Window;
  readonly board_version: number;
  readonly points: readonly HistoryPoint[];
  /** Oldest first. */
  readonly switches: readonly MethodologyChange[];
  /** Against the boards of 24 hours and of 7 days ago; null where none is that old. */
  readonly changes: { readonly '24h': RankChange | null; readonly '7d': RankChange | null };
}

/** An operator's public record as other modules need it. */
export interface OperatorRecord {
  readonly operator: number;
  readonly codename: string;
  readonly displayName: string | null;
  /** False while the operator is kept off every board. */
  readonly listed: boolean;
}
