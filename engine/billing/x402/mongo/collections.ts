import { type Connection, type mongo, Schema } from 'mongoose';
import type { PaymentTerms, SignedTransfer } from '../payment.ts';

const OPTIONS = { autoIndex: false, autoCreate: false, versionKey: false, strict: true } as const;

/**
 * One payment, and what it buys; `_id` is the payment's id on the chain (`paymentIdOf`).
 *
 * `open`: the payment is being verified and the answer prepared; no money has moved. `settling`: the facilitator was called, or
 * is about to be, to move the money. `settled`: it moved.
 */
export interface PurchaseDocument {
  _id: string;
  digest: string;
  /** Method and target that the payment buys. */
  resource: string;
  state: 'open' | 'settling' | 'settled';
  /** Holder of the lease, and its end. */
  holder: string;
  until: Date;
  created_at: Date;
  transfer: SignedTransfer;
  terms: PaymentTerms;
  /** While settling: whether the outcome of a call to the facilitator is unknown. */
  doubt?: boolean;
  /** Hashes of the receipts with which the payer gets the answer again. */
  answer_receipts?: string[];
  /** The stored answer, from `settling` on. */
  answer?: string;
  transaction?: string;
  settled_at?: Date;
  /** Whether the payment is recorded. */
  recorded?: boolean;
}

/** A stored answer. It is complete: its pieces are written before it. */
export interface AnswerDocument {
  _id: string;
  /** The request; answers from different boards share it. */
  key: string;
  made_at: Date;
  media_type: string;
  headers: Record<string, string>;
  pieces: number;
  /** Sum over all pieces. */
  bytes: number;
}

/** A piece of an answer, compressed with gzip. `_id` is `{answer}/{index}`. */
export interface PieceDocument {
  _id: string;
  made_at: Date;
  bytes: mongo.Binary;
}

const purchaseSchema = new Schema(
  { _id: String, state: String, until: Date, settled_at: Date, recorded: Boolean },
  OPTIONS,
)
  .index({ state: 1, until: 1 })
  .index({ settled_at: 1 }, { sparse: true });

const answerSchema = new Schema({ _id: String, key: String, made_at: Date }, OPTIONS)
  .index({ key: 1, made_at: -1 })
  .index({ made_at: 1 });

const pieceSchema = new Schema({ _id: String, made_at: Date }, OPTIONS).index({ made_at: 1 });

const SCHEMAS = { purchases: purchaseSchema, sold_answers: answerSchema, sold_answer_pieces: pieceSchema } as const;

/** This module's collections, as the driver's: writes do not pass through mongoose. */
export interface PurchaseCollections {
  readonly purchases: mongo.Collection<PurchaseDocument>;
  readonly answers: mongo.Collection<AnswerDocument>;
  readonly pieces: mongo.Collection<PieceDocument>;
}

/** Opens the collections on a connected connection. Creates nothing. */
export function openPurchaseCollections({ db }: Connection): PurchaseCollections {
  if (db === undefined) throw new Error('the MongoDB connection is not open');
  return {
    purchases: db.collection('purchases'),
    answers: db.collection('sold_answers'),
    pieces: db.collection('sold_answer_pieces'),
  };
}

/** Creates the indexes. Safe to repeat and to run in several processes concurrently. */
export async function ensurePurchaseIndexes(connection: Connection): Promise<void> {
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const model = connection.models[`billing:${name}`] ?? connection.model(`billing:${name}`, schema, name);
    await model.createIndexes();
  }
}
