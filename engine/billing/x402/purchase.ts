import type { PaymentTerms, SignedTransfer } from './payment.ts';

/** What somebody wants to buy, and the payment they presented for it. */
export interface PurchaseOrder {
  /** Method and target, spelled in one way: a payment buys this and nothing else. */
  readonly resource: string;
  readonly payment: SignedTransfer;
  readonly terms: PaymentTerms;
  /** What proves that a request which repeats a payment comes from the payer. One of the two is enough. */
  readonly answerReceipt?: string | null;
  /** Signature of the claim's text by the paying key, hexadecimal. */
  readonly claim?: string | null;
  /** Makes the answer and names it, once the payment is verified. What it throws ends the purchase, unpaid. */
  prepare(): Promise<string>;
}

/** Proof of a payment, for its payer. */
export interface PaymentReceipt {
  readonly payer: string;
  readonly transaction: string;
  readonly network: string;
}

/** How an order ended. */
export type PurchaseOutcome =
  /** `repeated`: it was paid before, by the same payment. */
  | { readonly kind: 'sold'; readonly answer: string; readonly receipt: PaymentReceipt; readonly repeated: boolean }
  /** Nothing moved. `reason` is the facilitator's own word. */
  | { readonly kind: 'refused'; readonly stage: 'verify' | 'settle'; readonly reason: string }
  /** The payment was, or is being, used for something else, or too long ago. */
  | { readonly kind: 'reused'; readonly why: 'other_content' | 'other_resource' | 'too_late' }
  /** The payment was presented before, and the request does not prove that it comes from the payer. */
  | { readonly kind: 'claim_required'; readonly claimText: string }
  /** The facilitator could not be asked. Nothing moved. */
  | { readonly kind: 'unavailable' }
  /** It is open whether the money moved: the same order, given again, finds out and does not pay twice. */
  | { readonly kind: 'unsettled' };

/** How an order ended, with the receipt for its payer where there is one. */
export type PurchaseResult = PurchaseOutcome & { readonly answerReceipt?: string };
