import { type Connection, type mongo, Schema } from 'mongoose';
import type { PaymentKind, PaymentProvider } from '../payments/payment.ts';

const OPTIONS = { autoIndex: false, autoCreate: false, versionKey: false, strict: true } as const;

/** `_id` is what keeps a payment from being recorded twice; its members are always in this order. */
export interface PaymentDocument {
  _id: { provider: PaymentProvider; kind: PaymentKind; id: string };
  amount: number;
  currency: string;
  asset: string | null;
  subject: string | null;
  occurred_at: Date;
  references: Record<string, string>;
}

const paymentSchema = new Schema({ _id: Schema.Types.Mixed, subject: String, occurred_at: Date }, OPTIONS)
  .index({ occurred_at: 1, _id: 1 })
  .index({ subject: 1, occurred_at: -1, _id: -1 });

const SCHEMAS = { payments: paymentSchema } as const;

/** This module's collections: the driver's own, for there every write is spelled out. */
export interface Collections {
  readonly payments: mongo.Collection<PaymentDocument>;
}

/** Opens the collections on a connected connection. Creates nothing. */
export function openCollections({ db }: Connection): Collections {
  if (db === undefined) throw new Error('the MongoDB connection is not open');
  return { payments: db.collection('payments') };
}

/** Creates the indexes. Safe to repeat and to run in several processes at once. */
export async function ensureBillingIndexes(connection: Connection): Promise<void> {
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const model = connection.models[`billing:${name}`] ?? connection.model(`billing:${name}`, schema, name);
    await model.createIndexes();
  }
}
