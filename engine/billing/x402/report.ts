/** How a call to the facilitator ended. `refused`: by the facilitator. `broken`: not sent, because of the circuit breaker or a full queue. */
export type FacilitatorOutcome = 'answered' | 'refused' | 'failed' | 'broken';

/** How a request to buy something ended. */
export type PurchaseEnd = 'sold' | 'repeated' | 'refused' | 'unavailable' | 'unsettled';

/** Events of this module, for metrics and logs. */
export interface PurchaseReport {
  facilitatorCalled(operation: 'verify' | 'settle', outcome: FacilitatorOutcome, seconds: number): void;
  facilitatorBreaker(open: boolean): void;
  purchased(end: PurchaseEnd): void;
  /** Purchases with an unknown outcome, as last counted. */
  unresolved(purchases: number): void;
  /** An operation failed and will be retried. */
  failed(error: unknown): void;
}

function nothing(): void {
  // No reporter is configured.
}

export const SILENT_PURCHASES: PurchaseReport = {
  facilitatorCalled: nothing,
  facilitatorBreaker: nothing,
  purchased: nothing,
  unresolved: nothing,
  failed: nothing,
};
