import type { StripeOutcome } from './stripe/stripe-error.ts';

/** A kind of difference from Stripe's data. */
export type BillingDifference = 'event_missed' | 'subscription_differs';

/** Events of this module, for metrics and logs. */
export interface BillingReport {
  stripeCalled(operation: string, outcome: StripeOutcome, seconds: number): void;
  /** The circuit breaker opened or closed. */
  stripeBreaker(open: boolean): void;
  /** A webhook arrived: stored, known before, of an unused type, or without a valid signature. */
  webhook(outcome: 'stored' | 'known' | 'ignored' | 'forged'): void;
  /** An event was applied, this many seconds after Stripe created it. */
  applied(type: string, seconds: number): void;
  /** Overdue events that are still retried. */
  unapplied(events: number): void;
  recorded(kind: string): void;
  /** Differences that a comparison with Stripe found and repaired. */
  differs(difference: BillingDifference, count: number): void;
  /** A comparison with Stripe is complete. */
  compared(accounts: number): void;
}

export const SILENT_REPORT: BillingReport = {
  stripeCalled: nothing,
  stripeBreaker: nothing,
  webhook: nothing,
  applied: nothing,
  unapplied: nothing,
  recorded: nothing,
  differs: nothing,
  compared: nothing,
};

function nothing(): void {
  // No reporter is configured.
}
