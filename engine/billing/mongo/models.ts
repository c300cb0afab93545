import {
  type Connection,
  type DocumentOf,
  defineStored,
  oneOf,
  openStored,
  orNull,
  part,
  required,
  shaped,
} from '../../mongo/index.ts';
import type { Payment, PaymentTerms, SignedTransfer, Subscription } from '../types.ts';
import { PAID_PLANS } from '../types.ts';

const PAYMENTS = defineStored(
  'payments',
  {
    /** Unique, which makes recording idempotent; its members are always in this order. */
    _id: shaped<Pick<Payment, 'provider' | 'kind' | 'id'>>(),
    amount: required(Number),
    currency: required(String),
    asset: orNull(String),
    subject: orNull(String),
    occurred_at: required(Date),
    references: shaped<Payment['references']>(),
  },
  [{ occurred_at: 1, _id: 1 }],
  [{ subject: 1, occurred_at: -1, _id: -1 }],
);

/** One document for an account, so every change is atomic. */
const BILLING_ACCOUNTS = defineStored(
  'billing_accounts',
  {
    /** The operator's sequence number. */
    _id: required(Number),
    subject: required(String),
    /** Stripe's id of the customer. */
    customer: orNull(String),
    /** The open checkout page. */
    checkout: orNull(
      part({ session: required(String), url: required(String), plan: oneOf(PAID_PLANS), expires_at: required(Date) }),
    ),
    /** As last read from Stripe. */
    subscriptions: shaped<readonly Subscription[]>(),
    /** Counts changes, for compare-and-set. */
    revision: required(Number),
    /** Whether the customer is to be deleted at Stripe, and this account afterwards. */
    forgotten: required(Boolean),
  },
  [{ customer: 1 }, { unique: true, partialFilterExpression: { customer: { $type: 'string' } } }],
  [{ forgotten: 1 }, { partialFilterExpression: { forgotten: true } }],
);

/** Stripe's events without their content, which contains personal data and is read from Stripe when needed. */
const BILLING_EVENTS = defineStored(
  'billing_events',
  {
    /** Stripe's id of the event. */
    _id: required(String),
    type: required(String),
    /** Stripe's id of the object that the event concerns. */
    object: required(String),
    customer: orNull(String),
    created_at: required(Date),
    received_at: required(Date),
    applied_at: orNull(Date),
  },
  [{ applied_at: 1, received_at: 1 }],
);

/**
 * One payment, and what it buys.
 *
 * `open`: the payment is being verified and the answer prepared; no money has moved. `settling`: the facilitator was called, or
 * is about to be, to move the money. `settled`: it moved.
 */
const PURCHASES = defineStored(
  'purchases',
  {
    /** The payment's id on the chain (`paymentIdOf`). */
    _id: required(String),
    digest: required(String),
    /** Method and target that the payment buys. */
    resource: required(String),
    state: oneOf(['open', 'settling', 'settled']),
    /** Holder of the lease, and its end. */
    holder: required(String),
    until: required(Date),
    created_at: required(Date),
    transfer: shaped<SignedTransfer>(),
    terms: shaped<PaymentTerms>(),
    /** While settling: whether the outcome of a call to the facilitator is unknown. */
    doubt: Boolean,
    /** Hashes of the receipts with which the payer gets the answer again. */
    answer_receipts: { type: [String], default: undefined },
    /** The stored answer, from `settling` on. */
    answer: String,
    transaction: String,
    settled_at: Date,
    /** Whether the payment is recorded. */
    recorded: Boolean,
  },
  [{ state: 1, until: 1 }],
  [{ settled_at: 1 }, { sparse: true }],
);

/** Stored answers. One is complete: its pieces are written before it. */
const SOLD_ANSWERS = defineStored(
  'sold_answers',
  {
    _id: required(String),
    /** The request; answers from different boards share it. */
    key: required(String),
    made_at: required(Date),
    media_type: required(String),
    headers: shaped<Readonly<Record<string, string>>>(),
    pieces: required(Number),
    /** Sum over all pieces. */
    bytes: required(Number),
  },
  [{ key: 1, made_at: -1 }],
  [{ made_at: 1 }],
);

/** Pieces of answers, compressed with gzip. */
const SOLD_ANSWER_PIECES = defineStored(
  'sold_answer_pieces',
  {
    /** `{answer}/{index}` */
    _id: required(String),
    made_at: required(Date),
    bytes: required(Buffer),
  },
  [{ made_at: 1 }],
);

export type PaymentDocument = DocumentOf<typeof PAYMENTS>;
export type BillingAccountDocument = DocumentOf<typeof BILLING_ACCOUNTS>;
export type BillingEventDocument = DocumentOf<typeof BILLING_EVENTS>;
export type Purchase = DocumentOf<typeof PURCHASES>;

/** The models of subscriptions and payments. */
export type BillingModels = ReturnType<typeof openBillingModels>;

/** Opens the models on a connection. Creates nothing. */
export function openBillingModels(connection: Connection) {
  return {
    payments: openStored(connection, PAYMENTS),
    accounts: openStored(connection, BILLING_ACCOUNTS),
    events: openStored(connection, BILLING_EVENTS),
  };
}

/** The models of purchases and of what they buy. */
export type PurchaseModels = ReturnType<typeof openPurchaseModels>;

/** As `openBillingModels`. */
export function openPurchaseModels(connection: Connection) {
  return {
    purchases: openStored(connection, PURCHASES),
    answers: openStored(connection, SOLD_ANSWERS),
    pieces: openStored(connection, SOLD_ANSWER_PIECES),
  };
}
