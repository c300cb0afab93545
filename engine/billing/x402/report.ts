/** How a call to the facilitator ended. `refused`: it said no. `broken`: it was not asked, after failures or for want of room. */
export type FacilitatorOutcome = 'answered' | 'refused' | 'failed' | 'broken';

/** How a request to buy something ended. */
export type PurchaseEnd = 'sold' | 'repeated' | 'refused' | 'unavailable' | 'unsettled';

/** What this module tells of its work. */
export interface PurchaseReport {
  facilitatorCalled(operation: 'verify' | 'settle', outcome: FacilitatorOutcome, seconds: number): void;
  facilitatorBreaker(open: boolean): void;
  purchased(end: PurchaseEnd): void;
  /** Purchases of which it is not known whether they were paid, as last counted. */
  unresolved(purchases: number): void;
  /** Something that will be tried again failed. */
  failed(error: unknown): void;
}

function nothing(): void {
  // Who does not listen is told nothing.
}

export const SILENT_PURCHASES: PurchaseReport = {
  facilitatorCalled: nothing,
  facilitatorBreaker: nothing,
  purchased: nothing,
  unresolved: nothing,
  failed: nothing,
};
