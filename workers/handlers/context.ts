import type { Accounts } from '../../engine/accounts/index.ts';
import type { Billing, Purchases } from '../../engine/billing/index.ts';
import type { Ranking } from '../../engine/ranking/index.ts';
import type { Queues } from '../../ops/runtime/queues/index.ts';

/** Dependencies of the handlers. */
export interface HandlerContext {
  readonly ranking: Ranking;
  readonly queues: Queues;
  readonly accounts: Pick<Accounts, 'deleteExpired' | 'erasures' | 'byOperator' | 'suspendedOperators'>;
  readonly billing: Pick<Billing, 'card' | 'forget'>;
  readonly purchases: Pick<Purchases, 'maintain'>;
}

/** One run of a job. */
export interface Run {
  /** Whether a failure of this run is final. */
  readonly isLast: boolean;
}
