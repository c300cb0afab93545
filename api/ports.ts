import type { Redis } from 'ioredis';
import type { JWK } from 'jose';
import type { Middleware } from 'koa';
import type { Account, Accounts } from '../engine/accounts/index.ts';
import type { CardBilling, Purchases } from '../engine/billing/index.ts';
import type { BatchVerdict, BoardReader, Clock, LogEntry, OperatorRecord, Ranking } from '../engine/ranking/index.ts';
import type { HttpMetrics, IngestMetrics, Logger } from '../ops/runtime/telemetry/index.ts';
import type { Members } from './auth/members/members.ts';
import type { OutsideAccounts } from './auth/outside-accounts.ts';
import type { Plans } from './billing/create-plans.ts';

/** The log of snapshots: what is appended is acknowledged, and stays. */
export type SnapshotLog = Pick<Ranking['log'], 'append' | 'findVerdict'>;

/** The work that follows the log. */
export interface SnapshotQueue {
  enqueue(batch: string, entries: readonly LogEntry[]): Promise<void>;
  /** Groups waiting, as last known. */
  depth(): number;
  /** Waits for a group's verdicts; null when aborted. */
  waitForBatch(batch: string, signal: AbortSignal): Promise<BatchVerdict | null>;
}

/** What the api uses of the accounts module. */
export interface ApiAccounts extends Pick<Accounts, 'bySubject' | 'denials' | 'changes' | 'keyOwner'> {
  /** The public keys that our own access tokens are signed with. */
  jwks(): Promise<{ readonly keys: readonly JWK[] }>;
  readonly devices: Pick<Accounts['devices'], 'list' | 'enrol' | 'revoke'>;
}

/** Plans, and what is paid by card. */
export interface ApiBilling extends Pick<Plans, 'entitlement' | 'nameOf'> {
  /** Null: nobody can subscribe. */
  readonly card:
    | (Pick<CardBilling, 'subscribe' | 'portal' | 'refresh'> & {
        readonly events: Pick<CardBilling['events'], 'receive'>;
      })
    | null;
  /** Gives an event that is stored its job. Never fails: one that gets none is found by who looks for such. */
  readonly enqueue: (event: string) => Promise<void>;
}

/** Everything the api works with and does not open itself. */
export interface ApiPorts {
  readonly clock: Clock;
  readonly board: BoardReader;
  readonly log: SnapshotLog;
  readonly queue: SnapshotQueue;
  readonly accounts: ApiAccounts;
  /** Operators' own records, over the modules that know them. */
  readonly members: Members;
  /** Sign-in and the authorization server; absent where the api is served without. */
  readonly identity?: { readonly middleware: readonly Middleware[] };
  /** Given when an outside identity provider does the signing in. */
  readonly outside?: OutsideAccounts;
  readonly operators: { byNumber(operator: number): Promise<OperatorRecord | null> };
  /** Whether the account's plan lets it submit. */
  entitled(account: Pick<Account, 'subject' | 'operator' | 'plan'>): Promise<boolean>;
  readonly billing: ApiBilling;
  /** What is paid for by the request. */
  readonly purchases: Purchases;
  /** Throws when a store that the api cannot do without does not answer. */
  checkStores(): Promise<void>;
  /** For the limiter's shared counts; null counts in this process alone. */
  readonly redis: Pick<Redis, 'pipeline'> | null;
  readonly metrics: { readonly http: HttpMetrics; readonly ingest: Pick<IngestMetrics, 'logged' | 'processed'> };
  /** Told of every snapshot that a request brought, while that request is being answered. */
  readonly onTaken?: (entry: LogEntry) => void;
  readonly logger: Pick<Logger, 'debug' | 'warn' | 'error'>;
}
