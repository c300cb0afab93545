import type { Redis } from 'ioredis';
import type { Config } from '../../config/config.ts';
import type { Accounts } from '../../engine/accounts/index.ts';
import type { Purchases } from '../../engine/billing/index.ts';
import type { BatchVerdict, BoardReader, Clock, LogEntry, Ranking } from '../../engine/ranking/index.ts';
import type { StoresUp } from '../../ops/runtime/stores/index.ts';
import type { HttpMetrics, IngestMetrics, Logger, MailOutcome } from '../../ops/runtime/telemetry/index.ts';
import type { ApiBilling } from '../billing/open-api-billing.ts';
import type { RatePolicies } from '../http/rate-limit/rate-policy.ts';
import { routesFor } from '../http/route.ts';
import type { Members } from '../members/members.ts';

/** The settings, with those that only measurements and tests change. */
export interface ApiConfig extends Config {
  /** Prefix of the names in Redis; processes with the same prefix share request counts. */
  readonly redisPrefix: string;
  /** Replaces the quotas. */
  readonly rates?: RatePolicies;
  /** Replaces bounds of events. */
  readonly eventBounds?: Readonly<
    Partial<Record<'maxSubscriptions' | 'maxOfClient' | 'frameMs' | 'commentMs', number>>
  >;
}

/** Work after the snapshot log. */
export interface SnapshotQueue {
  readonly enqueue: (batch: string, entries: readonly LogEntry[]) => Promise<void>;
  /** Entries of the log that wait for a worker, as last polled. */
  readonly waitingEntries: () => number;
  /** Waits for a batch's verdict; null when aborted. */
  readonly waitForBatch: (batch: string, signal: AbortSignal) => Promise<BatchVerdict | null>;
}

/** Everything a handler needs. `openContext` builds it for a process, `test/support/api-context.ts` for tests. */
export interface ApiContext {
  readonly config: ApiConfig;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'debug' | 'warn' | 'error'>;
  readonly metrics: {
    readonly http: HttpMetrics;
    readonly ingest: Pick<IngestMetrics, 'logged' | 'processed'>;
    readonly mailed: (outcome: MailOutcome) => void;
  };
  readonly ranking: Ranking;
  readonly board: BoardReader;
  readonly queue: SnapshotQueue;
  readonly accounts: Accounts;
  readonly members: Members;
  readonly billing: ApiBilling;
  readonly purchases: Purchases;
  readonly redis: Pick<Redis, 'pipeline'>;
  readonly storeHealth: () => StoresUp;
  /** Whether the process takes no new work. */
  readonly isStopping: () => boolean;
  /** Called with each submitted snapshot while its request is handled. */
  readonly onTaken?: (entry: LogEntry) => void;
}

/** Declares a route whose handler takes the context and nothing else. */
export const defineRoute = routesFor<ApiContext>();
