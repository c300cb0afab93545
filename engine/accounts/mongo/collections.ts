import { type Connection, type mongo, Schema } from 'mongoose';
import { MAX_LIVE_DEVICES } from '../limits.ts';
import type {
  AccountChangeDocument,
  AccountDocument,
  AddressDocument,
  AuditDocument,
  DenialDocument,
  DeviceDocument,
  ErasureDocument,
  IdentityDocument,
  OidcDocument,
  OneTimeDocument,
  SecretDocument,
  SecretHolder,
  SessionDocument,
  SigningKeyDocument,
  SignUpDocument,
} from './documents.ts';

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
)
  .index({ subject: 1 }, { unique: true })
  .index({ suspended: 1 }, { partialFilterExpression: { suspended: true } });

/** The unique index over slots bounds the number of live devices under any concurrency. */
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
  .index({ operator: 1, created_at: 1 })
  .index({ revoked_at: 1 }, { sparse: true });

const signingKeySchema = new Schema(
  {
    _id: Number,
    kid: { type: String, required: true },
    x: { type: String, required: true },
    private_key: Buffer,
    encrypted: { key_id: String, bytes: Buffer },
    created_at: { type: Date, required: true },
  },
  OPTIONS,
);

const REQUIRED_DATE = { type: Date, required: true } as const;

const identitySchema = new Schema(
  {
    _id: String,
    operator: { type: Number, required: true },
    provider: { type: String, required: true },
    label: { type: String, required: true },
    email: String,
    created_at: REQUIRED_DATE,
    used_at: REQUIRED_DATE,
  },
  OPTIONS,
).index({ operator: 1 });

const addressSchema = new Schema(
  { _id: String, operator: { type: Number, required: true }, vouchers: [String], verified_at: REQUIRED_DATE },
  OPTIONS,
).index({ operator: 1 });

const sessionSchema = new Schema(
  {
    _id: String,
    operator: { type: Number, required: true },
    provider: { type: String, required: true },
    identity: String,
    authenticated_at: REQUIRED_DATE,
    expires_at: REQUIRED_DATE,
  },
  OPTIONS,
)
  .index({ operator: 1 })
  .index({ expires_at: 1 });

const oneTimeSchema = new Schema(
  {
    _id: String,
    kind: { type: String, required: true },
    data: Schema.Types.Mixed,
    about: String,
    place: String,
    created_at: REQUIRED_DATE,
    valid_until: REQUIRED_DATE,
    consumed_at: Date,
    expires_at: REQUIRED_DATE,
  },
  OPTIONS,
)
  .index({ about: 1, created_at: 1 })
  .index({ place: 1 }, { unique: true, sparse: true })
  .index({ expires_at: 1 });

const oidcSchema = new Schema(
  {
    _id: String,
    model: { type: String, required: true },
    payload: Schema.Types.Mixed,
    grant_id: String,
    uid: String,
    user_code: String,
    subject: String,
    identity: String,
    consumed_at: Date,
    expires_at: Date,
  },
  OPTIONS,
)
  .index({ grant_id: 1 }, { sparse: true })
  .index({ uid: 1 }, { sparse: true })
  .index({ user_code: 1 }, { sparse: true })
  .index({ subject: 1 }, { sparse: true })
  .index({ expires_at: 1 }, { sparse: true });

const denialSchema = new Schema(
  {
    _id: String,
    at: REQUIRED_DATE,
    issued_until: REQUIRED_DATE,
    expires_at: REQUIRED_DATE,
  },
  OPTIONS,
)
  .index({ at: 1 })
  .index({ expires_at: 1 });

const accountChangeSchema = new Schema(
  { _id: Number, count: { type: Number, required: true }, at: REQUIRED_DATE, expires_at: REQUIRED_DATE },
  OPTIONS,
)
  .index({ at: 1 })
  .index({ expires_at: 1 });

const erasureSchema = new Schema(
  { _id: Number, subject_hash: { type: String, required: true }, erased_at: REQUIRED_DATE, done_at: Date },
  OPTIONS,
).index({ erased_at: 1 });

const auditSchema = new Schema(
  {
    at: REQUIRED_DATE,
    kind: { type: String, required: true },
    operator: Number,
    client: String,
    detail: Schema.Types.Mixed,
  },
  OPTIONS,
)
  .index({ operator: 1, at: 1 })
  .index({ at: 1 });

const SCHEMAS = {
  accounts: accountSchema,
  devices: deviceSchema,
  signing_keys: signingKeySchema,
  identities: identitySchema,
  addresses: addressSchema,
  sessions: sessionSchema,
  one_time_secrets: oneTimeSchema,
  oidc_records: oidcSchema,
  denials: denialSchema,
  account_changes: accountChangeSchema,
  erasures: erasureSchema,
  audit_log: auditSchema,
} as const;

/** This module's collections, as the driver's: writes do not pass through mongoose. */
export interface Collections {
  readonly accounts: mongo.Collection<AccountDocument>;
  readonly devices: mongo.Collection<DeviceDocument>;
  readonly signingKeys: mongo.Collection<SigningKeyDocument>;
  readonly identities: mongo.Collection<IdentityDocument>;
  readonly addresses: mongo.Collection<AddressDocument>;
  readonly sessions: mongo.Collection<SessionDocument>;
  readonly oneTime: mongo.Collection<OneTimeDocument>;
  readonly oidc: mongo.Collection<OidcDocument>;
  readonly denials: mongo.Collection<DenialDocument>;
  readonly accountChanges: mongo.Collection<AccountChangeDocument>;
  readonly erasures: mongo.Collection<ErasureDocument>;
  readonly audit: mongo.Collection<AuditDocument>;
  readonly secrets: mongo.Collection<SecretDocument>;
  /** The collections of signing keys and of shared secrets, by what both have in common. */
  readonly secretHolders: Readonly<Record<'signing_keys' | 'shared_secrets', mongo.Collection<SecretHolder>>>;
  readonly signUps: mongo.Collection<SignUpDocument>;
}

/** Opens the collections on a connected connection. Creates nothing. */
export function openCollections(connection: Connection): Collections {
  const db = connection.db;
  if (db === undefined) throw new Error('the MongoDB connection is not open');
  return {
    accounts: db.collection('accounts'),
    devices: db.collection('devices'),
    signingKeys: db.collection('signing_keys'),
    identities: db.collection('identities'),
    addresses: db.collection('addresses'),
    sessions: db.collection('sessions'),
    oneTime: db.collection('one_time_secrets'),
    oidc: db.collection('oidc_records'),
    denials: db.collection('denials'),
    accountChanges: db.collection('account_changes'),
    erasures: db.collection('erasures'),
    audit: db.collection('audit_log'),
    secrets: db.collection('shared_secrets'),
    secretHolders: {
      signing_keys: db.collection('signing_keys'),
      shared_secrets: db.collection('shared_secrets'),
    },
    signUps: db.collection('sign_ups'),
  };
}

/** Creates the indexes. Safe to repeat and to run in several processes concurrently. */
export async function ensureAccountIndexes(connection: Connection): Promise<void> {
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const model = connection.models[`accounts:${name}`] ?? connection.model(`accounts:${name}`, schema, name);
    await model.createIndexes();
  }
}
