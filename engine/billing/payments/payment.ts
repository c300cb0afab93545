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
  /**
   * The provider's id of this movement: of an invoice, a refund or a dispute, or the network, token, payer and nonce of an
   * authorization. There is one record per provider, kind and id.
   */
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

/** A payment to record: omitted members are null or empty. */
export type NewPayment = Omit<Payment, 'asset' | 'subject' | 'references'> &
  Partial<Pick<Payment, 'asset' | 'subject' | 'references'>>;

/** From `from` inclusive to `to` exclusive, in milliseconds since the epoch. */
export interface PaymentPeriod {
  readonly from: number;
  readonly to: number;
}

/** Payment records, for accounting. They are append-only, except that an erasure clears the subject. */
export interface Payments {
  /**
   * Records a payment durably. The first recording of a payment counts; false for further ones.
   *
   * @throws RangeError when the amount is not a safe integer, or the currency or a text is out of bounds.
   */
  record(payment: NewPayment): Promise<boolean>;
  find(provider: PaymentProvider, kind: PaymentKind, id: string): Promise<Payment | null>;
  /** The newest payments of an account, at most `limit`. */
  ofSubject(subject: string, limit: number): Promise<readonly Payment[]>;
  /** Every payment of a period, oldest first, in batches. */
  stream(period: PaymentPeriod): AsyncIterable<Payment>;
  /** Clears the subject of an account's payments. Safe to repeat. */
  forget(subject: string): Promise<void>;
}
