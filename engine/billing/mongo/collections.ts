import type { mongo } from 'mongoose';
import { type Connection, databaseOf, type Indexes } from '../../mongo/index.ts';
import type { BillingAccount, BillingEvent, Payment, PaymentTerms, SignedTransfer } from '../types.ts';

/** The unique `_id` makes recording idempotent; its members are always in this order. */
export interface PaymentDocument extends Omit<Payment, 'provider' | 'kind' | 'id' | 'occurredAt'> {
  readonly _id: Pick<Payment, 'provider' | 'kind' | 'id'>;
  readonly occurred_at: Date;
}

/** `_id` is the operator's sequence number. One document, so every change is atomic. */
export interface BillingAccountDocument extends Omit<BillingAccount, 'operator' | 'checkout'> {
  readonly _id: number;
  readonly checkout:
    | (Omit<NonNullable<BillingAccount['checkout']>, 'expiresAt'> & { readonly expires_at: Date })
    | null;
}

/** `_id` is Stripe's id of the event. Its content is not stored: it contains personal data, and is read from Stripe when needed. */
export interface BillingEventDocument extends Omit<BillingEvent, 'id' | 'createdAt'> {
  readonly _id: string;
  readonly created_at: Date;
  readonly received_at: Date;
  readonly applied_at: Date | null;
}

/**
 * One payment, and what it buys; `_id` is the payment's id on the chain (`paymentIdOf`).
 *
 * `open`: the payment is being verified and the answer prepared; no money has moved. `settling`: the facilitator was called, or
 * is about to be, to move the money. `settled`: it moved.
 */
export interface Purchase {
  readonly _id: string;
  readonly digest: string;
  /** Method and target that the payment buys. */
  readonly resource: string;
  readonly state: 'open' | 'settling' | 'settled';
  /** Holder of the lease, and its end. */
  readonly holder: string;
  readonly until: Date;
  readonly created_at: Date;
  readonly transfer: SignedTransfer;
  readonly terms: PaymentTerms;
  /** While settling: whether the outcome of a call to the facilitator is unknown. */
  readonly doubt?: boolean;
  /** Hashes of the receipts with which the payer gets the answer again. */
  readonly answer_receipts?: string[];
  /** The stored answer, from `settling` on. */
  readonly answer?: string;
  readonly transaction?: string;
  readonly settled_at?: Date;
  /** Whether the payment is recorded. */
  readonly recorded?: boolean;
}

/** A stored answer. It is complete: its pieces are written before it. */
interface AnswerDocument {
  readonly _id: string;
  /** The request; answers from different boards share it. */
  readonly key: string;
  readonly made_at: Date;
  readonly media_type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: number;
  /** Sum over all pieces. */
  readonly bytes: number;
}

/** A piece of an answer, compressed with gzip. `_id` is `{answer}/{index}`. */
interface PieceDocument {
  readonly _id: string;
  readonly made_at: Date;
  readonly bytes: mongo.Binary;
}

export const INDEXES: Indexes = {
  payments: [{ key: { occurred_at: 1, _id: 1 } }, { key: { subject: 1, occurred_at: -1, _id: -1 } }],
  billing_accounts: [
    { key: { customer: 1 }, unique: true, partialFilterExpression: { customer: { $type: 'string' } } },
    { key: { forgotten: 1 }, partialFilterExpression: { forgotten: true } },
  ],
  billing_events: [{ key: { applied_at: 1, received_at: 1 } }],
};

export const PURCHASE_INDEXES: Indexes = {
  purchases: [{ key: { state: 1, until: 1 } }, { key: { settled_at: 1 }, sparse: true }],
  sold_answers: [{ key: { key: 1, made_at: -1 } }, { key: { made_at: 1 } }],
  sold_answer_pieces: [{ key: { made_at: 1 } }],
};

/** This module's collections. */
export type Collections = ReturnType<typeof openCollections>;

/** Opens the collections on a connected connection. Creates nothing. */
export function openCollections(connection: Connection) {
  const db = databaseOf(connection);
  return {
    payments: db.collection<PaymentDocument>('payments'),
    accounts: db.collection<BillingAccountDocument>('billing_accounts'),
    events: db.collection<BillingEventDocument>('billing_events'),
    purchases: db.collection<Purchase>('purchases'),
    answers: db.collection<AnswerDocument>('sold_answers'),
    pieces: db.collection<PieceDocument>('sold_answer_pieces'),
  };
}
