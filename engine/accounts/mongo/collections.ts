import type { mongo } from 'mongoose';
import { type Connection, databaseOf, type Indexes } from '../../mongo/index.ts';
import type { IntegrityCase, IntegrityReport } from '../case-types.ts';
import type { Account, AuditEvent, DeviceRecord, Erasure, Identity, OneTimeKind } from '../types.ts';

/** A record as stored: its id is `_id`, and its times are dates. */
type Stored<Entry, Id extends keyof Entry, Time extends keyof Entry = never> = Omit<Entry, Id | Time> &
  Record<Time, Date> & { readonly _id: Entry[Id] };

/** `moderator` is absent in accounts that never had the role. */
export type AccountDocument = Stored<Omit<Account, 'moderator'>, 'operator', 'created_at'> & {
  readonly moderator?: boolean;
};

/** `_id` is the key's thumbprint, so a key belongs to one operator. */
export interface DeviceDocument extends Stored<Omit<DeviceRecord, 'revoked_at' | 'automation'>, 'kid', 'created_at'> {
  readonly operator: number;
  /** The raw public key, base64url. */
  readonly x: string;
  readonly revoked_at?: Date;
  /** Slot of the operator, from 0; absent once revoked. */
  readonly slot?: number;
  /** SHA-256 of the automation token that the key is derived from; absent for other keys, as are the times. */
  readonly token?: string;
  readonly expires_at?: Date;
  readonly used_at?: Date;
}

/** A secret encrypted by `SECRETS_KEY`. */
export interface EncryptedMember {
  readonly key_id: string;
  /** Nonce, ciphertext and tag. */
  readonly bytes: mongo.Binary;
}

/** `_id` numbers the keys from 1; the highest is in use. */
export interface SigningKeyDocument {
  readonly _id: number;
  readonly kid: string;
  readonly x: string;
  /** PKCS #8, DER; absent when encrypted. */
  readonly private_key?: mongo.Binary;
  readonly encrypted?: EncryptedMember;
  readonly created_at: Date;
}

/** A secret shared by all processes. `_id` is its purpose. */
export interface SecretDocument {
  readonly _id: string;
  /** Absent when encrypted. */
  readonly value?: string;
  readonly encrypted?: EncryptedMember;
}

/** The common shape of documents with a secret, in either collection. */
export type SecretHolder = Partial<Pick<SigningKeyDocument, 'kid' | 'x' | 'private_key'>> &
  Omit<SecretDocument, '_id'> & { readonly _id: string | number };

/** `_id` is `{provider}:{subject}`, so an identity belongs to one account. */
export type IdentityDocument = Stored<Identity, 'key', 'created_at' | 'used_at'>;

/** `_id` is a verified address in canonical form, so an address belongs to one account. */
export interface AddressDocument {
  readonly _id: string;
  readonly operator: number;
  /** Keys of the account's identities whose provider has verified the address. */
  readonly vouchers: string[];
  readonly verified_at: Date;
}

/** `_id` is the SHA-256 of the secret in the browser's cookie. */
export interface SessionDocument extends Pick<Identity, 'operator' | 'provider'> {
  readonly _id: string;
  /** The key of the identity that opened the session. */
  readonly identity: string;
  readonly authenticated_at: Date;
  readonly expires_at: Date;
}

/** `_id` is the SHA-256 of the secret. */
export interface OneTimeDocument {
  readonly _id: string;
  readonly kind: OneTimeKind;
  readonly data: Readonly<Record<string, unknown>>;
  readonly about: string | null;
  /** Its place in a quota. Each place holds one secret, so counting and issuing are one write. */
  readonly place?: string;
  readonly created_at: Date;
  readonly valid_until: Date;
  readonly consumed_at?: Date;
  /** When the document is deleted. */
  readonly expires_at: Date;
}

/** A record of the authorization server. `_id` is the model and a hash of its id, so no credential is stored. */
export interface OidcDocument {
  readonly _id: string;
  readonly model: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly grant_id?: string | undefined;
  readonly uid?: string | undefined;
  readonly user_code?: string | undefined;
  readonly subject?: string | undefined;
  /** Of a grant: the key of the identity whose sign-in opened it. */
  readonly identity?: string;
  readonly consumed_at?: Date;
  readonly expires_at?: Date | undefined;
}

/** An entry of a list that every process follows. */
export interface ListDocument<Id> {
  readonly _id: Id;
  /** Last write, by the writer's clock; never before the newest entry of the list (`nextWriteTime`). */
  readonly at: Date;
  readonly expires_at: Date;
}

/** `_id` is `grant:` or `subject:` and a hash. Tokens issued at or before `issued_until` are denied. */
type DenialDocument = ListDocument<string> & { readonly issued_until: Date };

/** `_id` is the operator's sequence number, `count` the writes since the entry was created. */
type AccountChangeDocument = ListDocument<number> & { readonly count: number };

/** `done_at`: when the erasure was complete. */
export type ErasureDocument = Stored<Erasure, 'operator', 'erased_at'> & { readonly done_at?: Date };

/** `_id` is a text where the event may be recorded again. */
type AuditDocument = Omit<AuditEvent, 'at'> & { readonly _id?: mongo.ObjectId | string; readonly at: Date };

/** A lock; `_id` identifies what one process may do at a time. */
interface SignUpDocument {
  readonly _id: string;
  readonly holder: string;
  readonly until: Date;
}

/** Serves the deletion of expired documents. */
const EXPIRY = { key: { expires_at: 1 } } as const;

export const INDEXES: Indexes = {
  accounts: [
    { key: { subject: 1 }, unique: true },
    { key: { suspended: 1 }, partialFilterExpression: { suspended: true } },
    { key: { moderator: 1 }, partialFilterExpression: { moderator: true } },
  ],
  devices: [
    // Bounds the number of live devices under any concurrency.
    { key: { operator: 1, slot: 1 }, unique: true, partialFilterExpression: { slot: { $type: 'number' } } },
    { key: { operator: 1, created_at: 1 } },
    { key: { revoked_at: 1 }, sparse: true },
    { key: { token: 1 }, unique: true, sparse: true },
    { ...EXPIRY, sparse: true },
  ],
  identities: [{ key: { operator: 1 } }],
  addresses: [{ key: { operator: 1 } }],
  sessions: [{ key: { operator: 1 } }, EXPIRY],
  one_time_secrets: [{ key: { about: 1, created_at: 1 } }, { key: { place: 1 }, unique: true, sparse: true }, EXPIRY],
  oidc_records: [
    { key: { grant_id: 1 }, sparse: true },
    { key: { uid: 1 }, sparse: true },
    { key: { user_code: 1 }, sparse: true },
    { key: { subject: 1 }, sparse: true },
    { ...EXPIRY, sparse: true },
  ],
  denials: [{ key: { at: 1 } }, EXPIRY],
  account_changes: [{ key: { at: 1 } }, EXPIRY],
  erasures: [{ key: { erased_at: 1 } }],
  audit_log: [{ key: { operator: 1, at: 1 } }, { key: { at: 1 } }],
  integrity_cases: [
    { key: { operator: 1 } },
    {
      key: { 'waiting.appeal': -1, 'waiting.since': 1, _id: 1 },
      partialFilterExpression: { waiting: { $exists: true } },
    },
    { key: { 'pending.id': 1 }, sparse: true },
    { key: { notify_since: 1 }, sparse: true },
  ],
  integrity_reports: [
    { key: { operator: 1, reason: 1 } },
    { key: { reporter: 1, at: -1 } },
    { key: { place: 1 }, unique: true },
    { key: { notify_since: 1 }, sparse: true },
  ],
};

/** This module's collections. */
export type Collections = ReturnType<typeof openCollections>;

/** Opens the collections on a connected connection. Creates nothing. */
export function openCollections(connection: Connection) {
  const db = databaseOf(connection);
  return {
    accounts: db.collection<AccountDocument>('accounts'),
    devices: db.collection<DeviceDocument>('devices'),
    signingKeys: db.collection<SigningKeyDocument>('signing_keys'),
    identities: db.collection<IdentityDocument>('identities'),
    addresses: db.collection<AddressDocument>('addresses'),
    sessions: db.collection<SessionDocument>('sessions'),
    oneTime: db.collection<OneTimeDocument>('one_time_secrets'),
    oidc: db.collection<OidcDocument>('oidc_records'),
    denials: db.collection<DenialDocument>('denials'),
    accountChanges: db.collection<AccountChangeDocument>('account_changes'),
    erasures: db.collection<ErasureDocument>('erasures'),
    audit: db.collection<AuditDocument>('audit_log'),
    cases: db.collection<IntegrityCase>('integrity_cases'),
    reports: db.collection<IntegrityReport>('integrity_reports'),
    secrets: db.collection<SecretDocument>('shared_secrets'),
    /** The collections of signing keys and of shared secrets, by what both have in common. */
    secretHolders: {
      signing_keys: db.collection<SecretHolder>('signing_keys'),
      shared_secrets: db.collection<SecretHolder>('shared_secrets'),
    },
    signUps: db.collection<SignUpDocument>('sign_ups'),
  };
}

/**
 * The time to write into an entry of a followed list: now, or that of the newest entry when this process's clock is behind.
 * Followers read the entries that are newer than the last one they read.
 */
export async function nextWriteTime<Entry extends ListDocument<unknown>>(
  list: mongo.Collection<Entry>,
  now: Date,
): Promise<Date> {
  const newest = await list.findOne<Pick<Entry, 'at'>>({}, { sort: { at: -1 }, projection: { at: 1 } });
  return newest !== null && newest.at > now ? newest.at : now;
}
