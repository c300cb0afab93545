import type { Redis } from 'ioredis';
import type { JWK } from 'jose';
import type { Logger } from 'pino';
import type { Counts } from '../engine/contract/signing/index.ts';
import type {
  AppendOutcome,
  BoardReader,
  Clock,
  GroupVerdict,
  LogEntry,
  OperatorRecord,
  Verdict,
} from '../engine/ranking/types.ts';

/** An operator's account as sign-in knows it. */
export interface Account {
  /** Subject of its access tokens. */
  readonly subject: string;
  /** Sequence number. */
  readonly operator: number;
  readonly suspended: boolean;
  readonly plan: string;
}

/** A device whose key may sign snapshots. Times are ISO 8601. */
export interface DeviceRecord {
  readonly kid: string;
  readonly name: string | null;
  readonly created_at: string;
  readonly revoked_at: string | null;
}

export type EnrolmentRefusal = 'key_invalid' | 'proof_invalid' | 'device_limit' | 'key_taken' | 'key_revoked';

export type EnrolmentOutcome =
  | { readonly kind: 'enrolled' | 'exists'; readonly device: DeviceRecord }
  | { readonly kind: 'refused'; readonly code: EnrolmentRefusal; readonly detail: string };

export interface EnrolmentRequest {
  readonly operator: number;
  readonly codename: string;
  readonly jwk: JWK;
  readonly name?: string;
  /** Compact JWS by the key over {codename, iat}. */
  readonly proof: string;
}

/** What is known of one logged snapshot. */
export interface LoggedVerdict {
  /** Milliseconds since the epoch. */
  readonly received_at: number;
  readonly group: string;
  /** Null until its group is done. */
  readonly verdict: Verdict | null;
  /** All-time totals after the fold, of an accepted one. */
  readonly totals: Counts | null;
}

/** The log of snapshots: what is appended is acknowledged, and stays. */
export interface SnapshotLog {
  /** Writes entries together; the outcomes are in the same order. */
  append(entries: readonly LogEntry[]): Promise<readonly AppendOutcome[]>;
  findVerdict(operator: number, jti: string): Promise<LoggedVerdict | null>;
}

/** The work that follows the log. */
export interface SnapshotQueue {
  enqueue(group: string, entries: readonly LogEntry[]): Promise<void>;
  /** Groups waiting, as last known. */
  depth(): number;
  /** Waits for a group's verdicts; null when aborted. */
  waitForGroup(group: string, signal: AbortSignal): Promise<GroupVerdict | null>;
}

export interface Accounts {
  bySubject(subject: string): Promise<Account | null>;
  /** The public keys that our own access tokens are signed with. */
  jwks(): Promise<{ readonly keys: readonly JWK[] }>;
  readonly devices: {
    list(operator: number): Promise<readonly DeviceRecord[]>;
    enrol(request: EnrolmentRequest): Promise<EnrolmentOutcome>;
    /** False when the operator has no such device. */
    revoke(operator: number, kid: string): Promise<boolean>;
  };
}

/** What the api counts and times. Durations are seconds. */
export interface ApiMetrics {
  /** One answered request; `route` is an operation id, or `unmatched`. */
  requestAnswered(request: {
    readonly route: string;
    readonly method: string;
    readonly status: number;
    readonly seconds: number;
  }): void;
  /** One group written to the log, or not. */
  groupAppended(group: { readonly entries: number; readonly seconds: number; readonly stored: boolean }): void;
  /** A group that is in the log but could not be queued; it is found again later. */
  enqueueFailed(): void;
  /** One submission answered. */
  submissionAnswered(result: 'accepted' | 'refused' | 'pending'): void;
}

/** Everything the api works with and does not open itself. */
export interface ApiPorts {
  readonly clock: Clock;
  readonly board: BoardReader;
  readonly log: SnapshotLog;
  readonly queue: SnapshotQueue;
  readonly accounts: Accounts;
  readonly operators: { byNumber(operator: number): Promise<OperatorRecord | null> };
  /** Whether the account's plan lets it submit. */
  entitled(account: Pick<Account, 'subject' | 'operator' | 'plan'>): Promise<boolean>;
  /** Throws when a store that the api cannot do without does not answer. */
  checkStores(): Promise<void>;
  /** For the limiter's shared counts; null counts in this process alone. */
  readonly redis: Pick<Redis, 'pipeline'> | null;
  readonly metrics: ApiMetrics;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}
