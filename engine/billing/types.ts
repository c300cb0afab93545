/** The paid plans, by how often they renew. */
export const PAID_PLANS = ['monthly', 'annual'] as const;

export type PaidPlan = (typeof PAID_PLANS)[number];

/** The part of a Stripe subscription that the plan depends on, always read completely. Times are milliseconds since the epoch. */
export interface Subscription {
  readonly id: string;
  /** Stripe's value: active, trialing, past_due, unpaid, canceled, paused, incomplete, incomplete_expired. */
  readonly status: string;
  readonly plan: PaidPlan;
  readonly periodStart: number;
  readonly periodEnd: number;
  /** When it is set to end; null while it renews. */
  readonly endsAt: number | null;
  /** Why it ended, as Stripe's value: cancellation_requested, payment_failed, payment_disputed; null before its end. */
  readonly endedBy: string | null;
  /** Whether collection is paused at Stripe. */
  readonly collectionPaused: boolean;
  /** Whether the invoice of the current period is paid. */
  readonly paid: boolean;
  /** How the payment of the current period was returned; null when it was not. */
  readonly moneyBack: 'refunded' | 'dispute_lost' | null;
}

/** The account of a Stripe customer, stored in the customer's metadata. */
export interface CustomerAccount {
  readonly operator: number;
  /** The account's opaque subject. */
  readonly subject: string;
}

/** A checkout page. Times are milliseconds since the epoch. */
export interface Checkout {
  readonly session: string;
  readonly url: string;
  readonly expiresAt: number;
}

/** The payment system that moved the money. */
export type PaymentProvider = 'stripe' | 'x402';

/**
 * Why money moved. `subscription`: an invoice was paid. `x402`: a request was paid for. `refund`, `dispute`: money was
 * returned to the payer. `refund_failed`, `dispute_won`: that money came back, because a bank rejected the refund or because
 * the dispute was won.
 */
export type PaymentKind = 'subscription' | 'x402' | 'refund' | 'refund_failed' | 'dispute' | 'dispute_won';

/**
 * One movement of money, for accounting. It contains no personal data: `subject` is an account's opaque subject, and is
 * cleared when the account is erased.
 */
export interface Payment {
  readonly provider: PaymentProvider;
  readonly kind: PaymentKind;
  /** Of an invoice, a refund or a dispute; or network, token, payer and nonce. Unique per provider and kind. */
  readonly id: string;
  /** Whole minor units (cents; atomic token units), negative for outgoing money. */
  readonly amount: number;
  /** In lower case: an ISO 4217 code or a token's symbol. */
  readonly currency: string;
  /** A token as `{network}/{address}`; null when the currency is sufficient. */
  readonly asset: string | null;
  /** The paying account; null when unknown. */
  readonly subject: string | null;
  /** Milliseconds since the epoch, by the provider's clock if it reports a time. */
  readonly occurredAt: number;
  /** References for accounting: invoice and charge numbers, a transaction's hash, the route. */
  readonly references: Readonly<Record<string, string>>;
}

/** Requirements for a payment, as sent to the facilitator (x402 version 2, scheme `exact`). */
export interface PaymentTerms {
  /** CAIP-2. */
  readonly network: `${string}:${string}`;
  /** Address of the token, and its EIP-712 domain. */
  readonly asset: string;
  readonly domain: { readonly name: string; readonly version: string };
  /** The token's symbol. */
  readonly currency: string;
  /** A whole number of the token's smallest unit, as text. */
  readonly amount: string;
  readonly payTo: string;
  /** Seconds. */
  readonly maxTimeoutSeconds: number;
}

/** A payer's signed permission to move tokens (EIP-3009). Numbers are decimal texts, times in seconds. */
export interface SignedTransfer {
  readonly signature: string;
  readonly authorization: {
    readonly from: string;
    readonly to: string;
    readonly value: string;
    readonly validAfter: string;
    readonly validBefore: string;
    readonly nonce: string;
  };
}
