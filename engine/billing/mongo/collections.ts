import { type Connection, type mongo, Schema } from 'mongoose';
import type { PaymentKind, PaymentProvider } from '../payments/payment.ts';
import type { PaidPlan, Subscription } from '../subscriptions/subscription.ts';

const OPTIONS = { autoIndex: false, autoCreate: false, versionKey: false, strict: true } as const;

/** The unique `_id` makes recording idempotent; its members are always in this order. */
export interface PaymentDocument {
  _id: { provider: PaymentProvider; kind: PaymentKind; id: string };
  amount: number;
  currency: string;
  asset: string | null;
  subject: string | null;
  occurred_at: Date;
  references: Record<string, string>;
}

/** `_id` is the operator's sequence number. One document, so every change is atomic. */
export interface BillingAccountDocument {
  _id: number;
  subject: string;
  /** Stripe's id of the customer. */
  customer: string | null;
  /** The open checkout page. */
  checkout: { session: string; plan: PaidPlan; url: string; expires_at: Date } | null;
  /** As last read from Stripe. */
  subscriptions: Subscription[];
  /** Counts changes, for compare-and-set. */
  revision: number;
  /** Whether the customer is to be deleted at Stripe, and this document afterwards. */
  forgotten: boolean;
}

/** `_id` is Stripe's id of the event. Its content is not stored: it contains personal data, and is read from Stripe when needed. */
export interface BillingEventDocument {
  _id: string;
  type: string;
  /** The object it is about. */
  object: string;
  customer: string | null;
  created_at: Date;
  received_at: Date;
  applied_at: Date | null;
}

const paymentSchema = new Schema({ _id: Schema.Types.Mixed, subject: String, occurred_at: Date }, OPTIONS)
  .index({ occurred_at: 1, _id: 1 })
  .index({ subject: 1, occurred_at: -1, _id: -1 });

const accountSchema = new Schema({ _id: Number, customer: String, forgotten: Boolean }, OPTIONS)
  .index({ customer: 1 }, { unique: true, partialFilterExpression: { customer: { $type: 'string' } } })
  .index({ forgotten: 1 }, { partialFilterExpression: { forgotten: true } });

const eventSchema = new Schema({ _id: String, received_at: Date, applied_at: Date }, OPTIONS).index({
  applied_at: 1,
  received_at: 1,
});

const SCHEMAS = { payments: paymentSchema, billing_accounts: accountSchema, billing_events: eventSchema } as const;

/** This module's collections, as the driver's: writes do not pass through mongoose. */
export interface Collections {
  readonly payments: mongo.Collection<PaymentDocument>;
  readonly accounts: mongo.Collection<BillingAccountDocument>;
  readonly events: mongo.Collection<BillingEventDocument>;
}

/** Opens the collections on a connected connection. Creates nothing. */
export function openCollections({ db }: Connection): Collections {
  if (db === undefined) throw new Error('the MongoDB connection is not open');
  return {
    payments: db.collection('payments'),
    accounts: db.collection('billing_accounts'),
    events: db.collection('billing_events'),
  };
}

/** Creates the indexes. Safe to repeat and to run in several processes concurrently. */
export async function ensureBillingIndexes(connection: Connection): Promise<void> {
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const model = connection.models[`billing:${name}`] ?? connection.model(`billing:${name}`, schema, name);
    await model.createIndexes();
  }
}
