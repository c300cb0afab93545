/** How a call to a payment service ended. `refused`: by the service. `broken`: not sent, because of the circuit breaker or a full queue. */
export type CallOutcome = 'answered' | 'refused' | 'failed' | 'broken';

/** Events of subscriptions, for metrics and logs. */
export interface BillingReport {
  stripeCalled(operation: string, outcome: CallOutcome, seconds: number): void;
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
  differs(difference: 'event_missed' | 'subscription_differs', count: number): void;
  /** A comparison with Stripe is complete. */
  compared(accounts: number): void;
}

/** Events of purchases, for metrics and logs. */
export interface PurchaseReport {
  facilitatorCalled(operation: 'verify' | 'settle', outcome: CallOutcome, seconds: number): void;
  facilitatorBreaker(open: boolean): void;
  /** A request to buy something ended. */
  purchased(end: 'sold' | 'repeated' | 'refused' | 'unavailable' | 'unsettled'): void;
  /** Purchases with an unknown outcome, as last counted. */
  unresolved(purchases: number): void;
  /** An operation failed and will be retried. */
  failed(error: unknown): void;
}
