import {
  type Connection,
  type DocumentOf,
  defineStored,
  type Model,
  oneOf,
  openStored,
  orNull,
  part,
  required,
  shaped,
} from '../../mongo/index.ts';
import { AUDIT_KINDS, ONE_TIME_KINDS, SIGN_IN_PROVIDERS } from '../types.ts';
import { LEAGUE_SEASONS, LEAGUES } from './league-models.ts';

/** Serves the deletion of expired documents. */
const EXPIRY = { expires_at: 1 } as const;

/** An object of any members. */
const members = shaped<Readonly<Record<string, unknown>>>();

const ACCOUNTS = defineStored(
  'accounts',
  {
    /** The operator's sequence number. */
    _id: required(Number),
    /** Subject of its access tokens: opaque, random, permanent. */
    subject: required(String),
    plan: required(String),
    suspended: required(Boolean),
    /** Whether it may decide integrity cases; absent in accounts that never had the role. */
    moderator: Boolean,
    /** Until when its rows are held; absent in all others. See `identities/returns`. */
    held_until: Date,
    created_at: required(Date),
  },
  [{ subject: 1 }, { unique: true }],
  [{ suspended: 1 }, { partialFilterExpression: { suspended: true } }],
  [{ moderator: 1 }, { partialFilterExpression: { moderator: true } }],
  [{ held_until: 1 }, { sparse: true }],
);

const DEVICES = defineStored(
  'devices',
  {
    /** The key's thumbprint, so a key belongs to one operator. */
    _id: required(String),
    operator: required(Number),
    /** The raw public key, base64url. */
    x: required(String),
    name: orNull(String),
    created_at: required(Date),
    revoked_at: Date,
    /** Slot of the operator, from 0; absent once revoked. */
    slot: Number,
    /** SHA-256 of the automation token that the key is derived from; absent for other keys, as are the times. */
    token: String,
    expires_at: Date,
    used_at: Date,
  },
  // Bounds the number of live devices under any concurrency.
  [
    { operator: 1, slot: 1 },
    { unique: true, partialFilterExpression: { slot: { $type: 'number' } } },
  ],
  [{ operator: 1, created_at: 1 }],
  [{ revoked_at: 1 }, { sparse: true }],
  [{ token: 1 }, { unique: true, sparse: true }],
  [EXPIRY, { sparse: true }],
);

/** A secret encrypted by `SECRETS_KEY`; the bytes are nonce, ciphertext and tag. */
const encrypted = part({ key_id: required(String), bytes: required(Buffer) });

const SIGNING_KEY = {
  /** Numbers the keys from 1; the highest is in use. */
  _id: required(Number),
  kid: required(String),
  x: required(String),
  /** PKCS #8, DER; absent when encrypted. */
  private_key: Buffer,
  encrypted,
  created_at: required(Date),
} as const;

const SIGNING_KEYS = defineStored('signing_keys', SIGNING_KEY);

/** Keys that sign the daily archive: those of another collection, so that no token is signed by one of them. */
const ARCHIVE_KEYS = defineStored('archive_keys', SIGNING_KEY);

/** Secrets shared by all processes. */
const SECRETS = defineStored('shared_secrets', {
  /** Its purpose. */
  _id: required(String),
  /** Absent when encrypted. */
  value: String,
  encrypted,
});

const IDENTITIES = defineStored(
  'identities',
  {
    /** `{provider}:{subject}`, so an identity belongs to one account. */
    _id: required(String),
    operator: required(Number),
    provider: oneOf(SIGN_IN_PROVIDERS),
    /** A user name or an address, for display. */
    label: required(String),
    /** The address that the provider has verified, in canonical form. */
    email: orNull(String),
    created_at: required(Date),
    used_at: required(Date),
  },
  [{ operator: 1 }],
);

const ADDRESSES = defineStored(
  'addresses',
  {
    /** A verified address in canonical form, so an address belongs to one account. */
    _id: required(String),
    operator: required(Number),
    /** Keys of the account's identities whose provider has verified the address. */
    vouchers: required([String]),
    verified_at: required(Date),
  },
  [{ operator: 1 }],
);

const SESSIONS = defineStored(
  'sessions',
  {
    /** SHA-256 of the secret in the browser's cookie. */
    _id: required(String),
    operator: required(Number),
    provider: oneOf(SIGN_IN_PROVIDERS),
    /** The key of the identity that opened the session. */
    identity: required(String),
    authenticated_at: required(Date),
    expires_at: required(Date),
  },
  [{ operator: 1 }],
  [EXPIRY],
);

const ONE_TIME_SECRETS = defineStored(
  'one_time_secrets',
  {
    /** SHA-256 of the secret. */
    _id: required(String),
    kind: oneOf(ONE_TIME_KINDS),
    data: members,
    about: orNull(String),
    /** Its place in a quota. Each place holds one secret, so counting and issuing are one write. */
    place: String,
    created_at: required(Date),
    valid_until: required(Date),
    consumed_at: Date,
    /** When the document is deleted. */
    expires_at: required(Date),
  },
  [{ about: 1, created_at: 1 }],
  [{ place: 1 }, { unique: true, sparse: true }],
  [EXPIRY],
);

/** Records of the authorization server. */
const OIDC_RECORDS = defineStored(
  'oidc_records',
  {
    /** The model and a hash of its id, so no credential is stored. */
    _id: required(String),
    model: required(String),
    payload: members,
    grant_id: String,
    uid: String,
    user_code: String,
    subject: String,
    /** Of a grant: the key of the identity whose sign-in opened it. */
    identity: String,
    consumed_at: Date,
    /** A refresh token's second use. */
    reused_at: Date,
    expires_at: Date,
  },
  [{ grant_id: 1 }, { sparse: true }],
  [{ uid: 1 }, { sparse: true }],
  [{ user_code: 1 }, { sparse: true }],
  [{ subject: 1 }, { sparse: true }],
  [EXPIRY, { sparse: true }],
);

/** Members of an entry of a list that every process follows. */
const LIST = {
  /** Last write, by the writer's clock; never before the newest entry of the list (`nextWriteTime`). */
  at: required(Date),
  expires_at: required(Date),
} as const;

const DENIALS = defineStored(
  'denials',
  {
    /** `grant:` or `subject:` and a hash. */
    _id: required(String),
    ...LIST,
    /** Tokens issued at or before it are denied. */
    issued_until: required(Date),
  },
  [{ at: 1 }],
  [EXPIRY],
);

const ACCOUNT_CHANGES = defineStored(
  'account_changes',
  {
    /** The operator's sequence number. */
    _id: required(Number),
    ...LIST,
    /** Writes since the entry was created. */
    count: required(Number),
  },
  [{ at: 1 }],
  [EXPIRY],
);

const ERASURES = defineStored(
  'erasures',
  {
    /** The operator's sequence number. */
    _id: required(Number),
    /** SHA-256 of the account's subject, base64url: detects an operator number that was reassigned after a restore. */
    subject_hash: required(String),
    erased_at: required(Date),
    /** When the erasure was complete. */
    done_at: Date,
  },
  [{ erased_at: 1 }],
);

/** Ways to sign in to accounts that were erased while an exclusion was in effect. */
const EXCLUDED_IDENTITIES = defineStored(
  'excluded_identities',
  {
    /** Keyed hash of an identity or an address. */
    _id: required(String),
    expires_at: required(Date),
  },
  [EXPIRY],
);

const AUDIT_LOG = defineStored(
  'audit_log',
  {
    _id: required(String),
    at: required(Date),
    kind: oneOf(AUDIT_KINDS),
    operator: orNull(Number),
    /** The client's address, or its network, as the rate limiter counts it. */
    client: orNull(String),
    detail: shaped<Readonly<Record<string, string>>>(),
  },
  [{ operator: 1, at: 1 }],
  [{ at: 1 }],
);

/** Who gets weekly letters. See `letters.ts`. */
const LETTERS = defineStored(
  'letters',
  {
    _id: required(Number),
    address: required(String),
    due_at: required(Date),
    /** SHA-256 of the secrets in the links of the last ones, oldest first. */
    links: required([String]),
  },
  [{ due_at: 1 }],
  [{ links: 1 }],
);

/** Locks; the id says what one process may do at a time. */
const SIGN_UPS = defineStored('sign_ups', {
  _id: required(String),
  holder: required(String),
  until: required(Date),
});

export type AccountDocument = DocumentOf<typeof ACCOUNTS>;
export type DeviceDocument = DocumentOf<typeof DEVICES>;
export type SigningKeyDocument = DocumentOf<typeof SIGNING_KEYS>;
export type SecretDocument = DocumentOf<typeof SECRETS>;
export type IdentityDocument = DocumentOf<typeof IDENTITIES>;
export type SessionDocument = DocumentOf<typeof SESSIONS>;
export type OneTimeDocument = DocumentOf<typeof ONE_TIME_SECRETS>;
export type OidcDocument = DocumentOf<typeof OIDC_RECORDS>;
export type DenialDocument = DocumentOf<typeof DENIALS>;
export type ErasureDocument = DocumentOf<typeof ERASURES>;
export type LeagueDocument = DocumentOf<typeof LEAGUES>;
export type SeasonDocument = DocumentOf<typeof LEAGUE_SEASONS>;
export type LetterDocument = DocumentOf<typeof LETTERS>;
export type AuditDocument = DocumentOf<typeof AUDIT_LOG>;

/** What the documents with a secret have in common. */
export type SecretHolder = Partial<Pick<SigningKeyDocument, 'kid' | 'x' | 'private_key'>> &
  Omit<SecretDocument, '_id'> & { readonly _id: string | number };

/** This module's models. */
export type Models = ReturnType<typeof openModels>;

/** Opens the models on a connection. Creates nothing. */
export function openModels(connection: Connection) {
  return {
    accounts: openStored(connection, ACCOUNTS),
    devices: openStored(connection, DEVICES),
    signingKeys: openStored(connection, SIGNING_KEYS),
    archiveKeys: openStored(connection, ARCHIVE_KEYS),
    secrets: openStored(connection, SECRETS),
    identities: openStored(connection, IDENTITIES),
    addresses: openStored(connection, ADDRESSES),
    sessions: openStored(connection, SESSIONS),
    oneTime: openStored(connection, ONE_TIME_SECRETS),
    oidc: openStored(connection, OIDC_RECORDS),
    denials: openStored(connection, DENIALS),
    accountChanges: openStored(connection, ACCOUNT_CHANGES),
    erasures: openStored(connection, ERASURES),
    excludedIdentities: openStored(connection, EXCLUDED_IDENTITIES),
    audit: openStored(connection, AUDIT_LOG),
    leagues: openStored(connection, LEAGUES),
    seasons: openStored(connection, LEAGUE_SEASONS),
    letters: openStored(connection, LETTERS),
    signUps: openStored(connection, SIGN_UPS),
  };
}

/** What lists that every process follows have in common. */
export interface ListDocument<Id> {
  readonly _id: Id;
  readonly at: Date;
  readonly expires_at: Date;
}

/**
 * The time to write into an entry of a followed list: now, or that of the newest entry when this process's clock is behind.
 * Followers read the entries that are newer than the last one they read.
 */
export async function nextWriteTime<D extends ListDocument<unknown>>(list: Model<D>, now: Date): Promise<Date> {
  const newest = await list.findOne().sort({ at: -1 }).lean<Pick<D, 'at'>>();
  return newest !== null && newest.at > now ? newest.at : now;
}
