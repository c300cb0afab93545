import type { PaymentTerms, SignedTransfer } from '../types.ts';

/** A request to buy a resource, with its payment. */
export interface PurchaseOrder {
  /** Method and normalized target: the payment buys only this. */
  readonly resource: string;
  readonly payment: SignedTransfer;
  readonly terms: PaymentTerms;
  /** With `claim`, one of two proofs that a request which repeats a payment comes from the payer. */
  readonly answerReceipt?: string | null;
  /** Signature of `claimTextOf` by the paying key, hexadecimal. */
  readonly claim?: string | null;
  /** Creates the answer after verification of the payment; returns its id. When it throws, the purchase ends unpaid. */
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
  /** `repeated`: the same payment paid for it before. */
  | { readonly kind: 'sold'; readonly answer: string; readonly receipt: PaymentReceipt; readonly repeated: boolean }
  /** No money moved. `reason` is the facilitator's. */
  | { readonly kind: 'refused'; readonly stage: 'verify' | 'settle'; readonly reason: string }
  /** The payment was or is being used for another purchase, or too long ago. */
  | { readonly kind: 'reused'; readonly why: 'other_content' | 'other_resource' | 'too_late' }
  /** The payment was presented before, and the request does not prove that it comes from the payer. */
  | { readonly kind: 'claim_required'; readonly claimText: string }
  /** The facilitator is unavailable. No money moved. */
  | { readonly kind: 'unavailable' }
  /** It is unknown whether the money moved. Repeating the order resolves it and does not pay twice. */
  | { readonly kind: 'unsettled' };

/** `answerReceipt`: the payer's receipt for repeating the order. */
export type PurchaseResult = PurchaseOutcome & { readonly answerReceipt?: string };
