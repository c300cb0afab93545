/** Who moved the money. */
export type PaymentProvider = 'stripe' | 'x402';

/**
 * Why money moved. `subscription`: an invoice was paid. `x402`: a request was paid for. `refund`, `dispute`: money went
 * back, or was taken back; `refund_failed`, `dispute_won`: it returned, because a bank did not take the refund, or because
 * the dispute was won.
 */
export type PaymentKind = 'subscription' | 'x402' | 'refund' | 'refund_failed' | 'dispute' | 'dispute_won';

/**
 * One movement of money, as it is kept for accounting. Nothing in it names a person: `subject` is an account's opaque
 * subject, and is taken out when the account is erased.
 */
export interface Payment {
  readonly provider: PaymentProvider;
  readonly kind: PaymentKind;
  /**
   * The provider's own name of this movement: an invoice, a refund, a dispute, or the network with payer and nonce of an
   * authorization. One record exists for each provider, kind and id, however often it is recorded.
   */
  readonly id: string;
  /** Whole minor units (cents; atomic token units), negative when money left us. */
  readonly amount: number;
  /** In lower case: an ISO 4217 code or a token's symbol. */
  readonly currency: string;
  /** What exactly was moved when the currency does not say: a token as `{network}/{address}`. */
  readonly asset: string | null;
  /** The account whose payment it is; null when nobody's that we know. */
  readonly subject: string | null;
  /** Milliseconds since the epoch, by the provider's clock where it says. */
  readonly occurredAt: number;
  /** What an accountant looks it up by elsewhere: invoice and charge numbers, a transaction's hash, the route. */
  readonly references: Readonly<Record<string, string>>;
}

/** What a caller says of a payment: what is left out is null or empty. */
export type NewPayment = Omit<Payment, 'asset' | 'subject' | 'references'> &
  Partial<Pick<Payment, 'asset' | 'subject' | 'references'>>;

/** Which payments: those that occurred from `from` until before `to`, in milliseconds since the epoch. */
export interface PaymentPeriod {
  readonly from: number;
  readonly to: number;
}

/** The records of money, for accounting. They are added to and never changed, but for the subject of an erased account. */
export interface Payments {
  /**
   * Records a payment, durably. Of any number of recordings of one payment the first counts; false for the others.
   *
   * @throws RangeError when the amount is no safe integer, the currency or a text is out of bounds.
   */
  record(payment: NewPayment): Promise<boolean>;
  find(provider: PaymentProvider, kind: PaymentKind, id: string): Promise<Payment | null>;
  /** The newest payments of an account, at most `limit`. */
  ofSubject(subject: string, limit: number): Promise<readonly Payment[]>;
  /** Every payment of a period, the oldest first, a few at a time. */
  stream(period: PaymentPeriod): AsyncIterable<Payment>;
  /** Takes the account out of its payments. Safe to repeat. */
  forget(subject: string): Promise<void>;
}
