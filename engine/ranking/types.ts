import type * as z from 'zod';
import type { PlatformStanding as PlatformStandingSchema } from '../contract/index.ts';
import type { Counting } from '../contract/signing/index.ts';
import type { Missing, UnrankedReason } from '../contract/unranked.ts';
import type { Window } from '../contract/windows.ts';
import type { UnplacedEntry } from './core/entry.ts';
import type { RowIntegrity } from './core/row-integrity.ts';

export type { BatchVerdict, LogEntry, Verdict } from '../contract/snapshot.ts';
export type { RowIntegrity } from './core/row-integrity.ts';

/** Returns the current time in milliseconds since the epoch. The engine reads no other clock. */
export type Clock = () => number;

/** A device key. `publicKey` is the raw Ed25519 key, base64url (JWK member `x`). */
export interface DeviceKey {
  readonly kid: string;
  readonly operator: number;
  readonly publicKey: string;
  /** Milliseconds since the epoch; null while the key is valid. */
  readonly revokedAt: number | null;
}

/** By `kid`, without unknown keys. Revocations are always current; a key's owner may be a cached one unless `fresh`. */
export type DeviceKeyLookup = (kids: readonly string[], fresh?: boolean) => Promise<ReadonlyMap<string, DeviceKey>>;

/** Returns a secret of this installation, the same in every process. It never changes. */
export type SharedSecret = (name: string) => Promise<string>;

/** The outcome of appending an entry to the log. */
export type AppendOutcome =
  | { readonly kind: 'stored'; readonly batch: string }
  /** The same operator, `jti` and content are already in the log: the verdict is that of the earlier entry's batch. */
  | { readonly kind: 'repeated'; readonly batch: string }
  /** The same operator and `jti` are already in the log with other content. */
  | { readonly kind: 'conflict' };

/** One board entry: contract, part 2, LeaderboardEntry. */
export interface BoardEntry extends UnplacedEntry, Movement {
  readonly rank: number;
  readonly percentile: number;
}

/** Ranks gained (positive) or lost since then; null where the operator was unranked then or is now. */
export interface Movement {
  readonly movement_24h: number | null;
  readonly movement_7d: number | null;
}

/** The boards that movements are measured from: times in ISO 8601; null where no kept board is that old. */
export interface MovementSince {
  readonly movement_24h_since: string | null;
  readonly movement_7d_since: string | null;
}

/** An entry except for its movements. */
export type BoardRow = Omit<BoardEntry, keyof Movement>;

/** An entry without its movements, display name, percentile and integrity: cheap to read for many operators. */
export type BoardLine = Omit<BoardRow, 'display_name' | 'percentile' | keyof RowIntegrity>;

/** A score in one window; all null for an operator that is not ranked there, except the reason and the integrity. */
export type WindowScore = {
  readonly [Member in keyof Omit<BoardEntry, 'codename' | 'display_name' | 'platform' | keyof RowIntegrity>]:
    | BoardEntry[Member]
    | null;
} & RowIntegrity & {
    readonly unranked: UnrankedReason | null;
    /** The rank that a held row would have. */
    readonly would_be: number | null;
    readonly missing: Missing[];
  };

/** An operator's all-time place on the board of one of its tools: without a rank also before these boards are first made. */
export type PlatformStanding = Readonly<z.output<typeof PlatformStandingSchema>>;

/** An operator on the current board: contract, part 2, OperatorProfile, with the other windows in addition to `all_time`. */
export interface Profile extends WindowScore, MovementSince {
  /** The board version that was read, and its methodology. */
  readonly board_version: number;
  readonly methodology: number;
  readonly codename: string;
  readonly display_name: string | null;
  readonly platform: string;
  readonly cascade_str: string | null;
  /** Null when no snapshot states it. `tool_version` is null where the tool states none. */
  readonly provenance: { readonly counting: Counting; readonly tool_version: string | null } | null;
  readonly windows: Readonly<Record<Window, WindowScore>>;
  /** The boards of its tools, the one with most tokens first. */
  readonly platforms: PlatformStanding[];
}

/** Overview of a published board version. Immutable. */
export interface BoardOverview {
  readonly version: number;
  /** Random: a store that lost its last writes assigns a version twice, each with another generation. */
  readonly generation: string;
  readonly methodology: number;
  /** Milliseconds since the epoch. */
  readonly generatedAt: number;
  /** Start of the hour for which all totals hold, in milliseconds since the epoch. */
  readonly hourBeganAt: number;
  readonly movementSince: MovementSince;
  /** Ranked operators by window. */
  readonly totals: Readonly<Record<Window, number>>;
  /** The first 100 entries by window. */
  readonly topEntries: Readonly<Record<Window, readonly BoardEntry[]>>;
}

/** An operator's standing on one board; nulls where it was not ranked. */
export interface HistoryPoint {
  /** Time of the board, in milliseconds since the epoch. */
  readonly at: number;
  readonly methodology: number;
  readonly yield_: number | null;
  readonly rank: number | null;
}

/** A change of the board's methodology, with an operator's standing right before and right after it. */
export interface MethodologyChange
  extends Readonly<Record<'before' | 'after', Pick<HistoryPoint, 'methodology' | 'rank' | 'yield_'>>> {
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * The causes of a rank change. Positive means a better rank, and `own` + `field` + `method` = `change`. All are null when the
 * operator was unranked at the start or the end; the three parts are null when it was unranked in between.
 */
export interface RankChange {
  /** Time of the earlier board, in milliseconds since the epoch. */
  readonly since: number;
  readonly rank_then: number | null;
  readonly rank_now: number | null;
  readonly change: number | null;
  /** Places gained by the operator's own Yield, with all other Yields unchanged. */
  readonly own: number | null;
  /** Places gained by changes of other operators' Yields. */
  readonly field: number | null;
  /** Places gained by methodology changes on the same records. */
  readonly method: number | null;
}

/** An operator's history in one window, oldest first; the last point is the current board. */
export interface OperatorHistory {
  readonly codename: string;
  readonly window: Window;
  readonly board_version: number;
  readonly points: readonly HistoryPoint[];
  /** Oldest first. */
  readonly switches: readonly MethodologyChange[];
  /** Changes since the boards of 24 hours, of 7 days ago and of the moment that was asked for; null where no kept board is that old. */
  readonly changes: Readonly<Record<'24h' | '7d', RankChange | null> & Partial<Record<'since', RankChange | null>>>;
}

/** Why an operator is on no board: it hid its row, a command of the installation unlisted it, or it is suspended. */
export type OffBoards = 'hidden' | 'unlisted' | 'suspended';

/** An operator's names, and whether others see it. */
export interface OperatorRecord {
  readonly operator: number;
  readonly codename: string;
  readonly displayName: string | null;
  /** False while there is a reason against it, and once erased: then every public read is as of an unknown codename. */
  readonly listed: boolean;
  readonly offBoards: readonly OffBoards[];
  /** Whether it opened its history: others may read its log while it is listed. */
  readonly open: boolean;
}
