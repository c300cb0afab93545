import { type Connection, type mongo, Schema } from 'mongoose';
import { MAX_LIVE_DEVICES } from '../limits.ts';
import type { AccountDocument, DeviceDocument, SigningKeyDocument } from './documents.ts';

const OPTIONS = { autoIndex: false, autoCreate: false, versionKey: false, strict: true } as const;

const accountSchema = new Schema(
  {
    _id: Number,
    subject: { type: String, required: true },
    plan: { type: String, required: true },
    suspended: { type: Boolean, required: true },
    created_at: { type: Date, required: true },
  },
  OPTIONS,
).index({ subject: 1 }, { unique: true });

/** The unique index over the places is what holds the number of live devices, under any concurrency. */
const deviceSchema = new Schema(
  {
    _id: String,
    operator: { type: Number, required: true },
    x: { type: String, required: true },
    name: String,
    created_at: { type: Date, required: true },
    revoked_at: Date,
    slot: { type: Number, min: 0, max: MAX_LIVE_DEVICES - 1 },
  },
  OPTIONS,
)
  .index({ operator: 1, slot: 1 }, { unique: true, partialFilterExpression: { slot: { $type: 'number' } } })
  .index({ operator: 1, created_at: 1 });

const signingKeySchema = new Schema(
  {
    _id: Number,
    kid: { type: String, required: true },
    x: { type: String, required: true },
    private_key: { type: Buffer, required: true },
    created_at: { type: Date, required: true },
  },
  OPTIONS,
);

const SCHEMAS = { accounts: accountSchema, devices: deviceSchema, signing_keys: signingKeySchema } as const;

/** This module's collections: the driver's own, for there every write is spelled out. */
export interface Collections {
  readonly accounts: mongo.Collection<AccountDocument>;
  readonly devices: mongo.Collection<DeviceDocument>;
  readonly signingKeys: mongo.Collection<SigningKeyDocument>;
}

/** Opens the collections on a connected connection. Creates nothing. */
export function openCollections(connection: Connection): Collections {
  const db = connection.db;
  if (db === undefined) throw new Error('the MongoDB connection is not open');
  return {
    accounts: db.collection('accounts'),
    devices: db.collection('devices'),
    signingKeys: db.collection('signing_keys'),
  };
}

/** Creates the indexes. Safe to repeat and to run in several processes at once. */
export async function ensureAccountIndexes(connection: Connection): Promise<void> {
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const model = connection.models[`accounts:${name}`] ?? connection.model(`accounts:${name}`, schema, name);
    await model.createIndexes();
  }
}
