import { type Connection, type mongo, Schema } from 'mongoose';
import type { PaymentTerms, SignedTransfer } from '../payment.ts';

const OPTIONS = { autoIndex: false, autoCreate: false, versionKey: false, strict: true } as const;

/**
 * One payment, and what it is for; `_id` is the chain's own name of the payment.
 *
 * `open`: its payment is verified and its answer prepared; nothing has moved. `settling`: the facilitator was, or is about
 * to be, asked to move the money. `settled`: it moved.
 */
export interface PurchaseDocument {
  _id: string;
  digest: string;
  /** Method and target that it pays for. */
  resource: string;
  state: 'open' | 'settling' | 'settled';
  /** Who carries it out, and until when nobody else does. */
  holder: string;
  until: Date;
  created_at: Date;
  transfer: SignedTransfer;
  terms: PaymentTerms;
  /** While settling: whether nobody knows how asking the facilitator ended. */
  doubt?: boolean;
  /** Hashes of the receipts by which its payer gets the answer again. */
  answer_receipts?: string[];
  /** The stored answer, from `settling` on. */
  answer?: string;
  transaction?: string;
  settled_at?: Date;
  /** Whether the money is in the books. */
  recorded?: boolean;
}

/** An answer that was sold. It is whole: its pieces were written before it. */
export interface AnswerDocument {
  _id: string;
  /** What is answered; answers of different boards have the same. */
  key: string;
  made_at: Date;
  media_type: string;
  headers: Record<string, string>;
  pieces: number;
  /** Of all pieces together. */
  bytes: number;
}

/** A piece of an answer, compressed with gzip: `_id` is `answer/n`. */
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

/** This module's collections: the driver's own, for there every write is spelled out. */
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

/** Creates the indexes. Safe to repeat and to run in several processes at once. */
export async function ensurePurchaseIndexes(connection: Connection): Promise<void> {
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const model = connection.models[`billing:${name}`] ?? connection.model(`billing:${name}`, schema, name);
    await model.createIndexes();
  }
}
