import type { StripeOutcome } from './stripe/stripe-error.ts';

/** In what a comparison with Stripe found us wrong. */
export type BillingDifference = 'event_missed' | 'subscription_differs';

/** What this module tells of itself, for metrics and logs. */
export interface BillingReport {
  stripeCalled(operation: string, outcome: StripeOutcome, seconds: number): void;
  /** Whether calls are held back after failures. */
  stripeBreaker(open: boolean): void;
  /** A webhook came: stored, known before, of a kind that says nothing to us, or not signed by Stripe. */
  webhook(outcome: 'stored' | 'known' | 'ignored' | 'forged'): void;
  /** An event was applied, this long after Stripe made it. */
  applied(type: string, seconds: number): void;
  /** Events that came a while ago, and are still being tried. */
  unapplied(events: number): void;
  recorded(kind: string): void;
  /** Found, and repaired, by a comparison with Stripe. */
  differs(difference: BillingDifference, count: number): void;
  /** A comparison with Stripe came to its end. */
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
  // Nobody listens.
}
