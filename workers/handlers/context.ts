import type { Accounts } from '../../engine/accounts/index.ts';
import type { Billing, Purchases } from '../../engine/billing/index.ts';
import type { ArchiveTarget, Ranking } from '../../engine/ranking/index.ts';
import type { Mailer } from '../../ops/runtime/mailer.ts';
import type { Queues } from '../../ops/runtime/queues/index.ts';
import type { IntegrityMetrics } from '../../ops/runtime/telemetry/index.ts';

/** Dependencies of the handlers. */
export interface HandlerContext {
  readonly ranking: Ranking;
  readonly queues: Queues;
  readonly accounts: Pick<
    Accounts,
    | 'deleteExpired'
    | 'erasures'
    | 'byOperator'
    | 'suspendedOperators'
    | 'holds'
    | 'cases'
    | 'identities'
    | 'leagues'
    | 'letters'
  >;
  readonly billing: Pick<Billing, 'card' | 'forget'>;
  readonly purchases: Pick<Purchases, 'maintain'>;
  /** Null: there is none. */
  readonly archive: ArchiveTarget | null;
  readonly integrityMetrics: IntegrityMetrics;
  /** Null: no mail is sent. */
  readonly mailer: Pick<Mailer, 'check' | 'send'> | null;
  /** The address of people's account pages. */
  readonly accountUrl: string;
  readonly siteUrl: string;
  readonly clock: () => number;
  readonly logThrottled: (error: unknown) => void;
}

/** One run of a job. */
export interface Run {
  /** Whether a failure of this run is final. */
  readonly isLast: boolean;
  /** Aborted when the run is past its deadline, and when the process closes. */
  readonly signal: AbortSignal;
}
