import type { KeyObject } from 'node:crypto';
import type { Account } from './account.ts';
import type {
  AuditLog,
  Denials,
  Erasures,
  Identities,
  OidcRecords,
  OneTimeSecrets,
  Sessions,
} from './identity-types.ts';

export type * from './account.ts';
export type * from './identity-types.ts';

/** The current time in milliseconds since the epoch. */
export type Clock = () => number;

/** A device whose key may sign snapshots. Times are ISO 8601 in UTC; `revoked_at` is null while the key is valid. */
export interface DeviceRecord {
  readonly kid: string;
  readonly name: string | null;
  readonly created_at: string;
  readonly revoked_at: string | null;
}

export interface EnrolmentRequest {
  readonly operator: number;
  readonly codename: string;
  /** The public JWK, unvalidated. */
  readonly jwk: unknown;
  readonly name?: string | undefined;
  /** Compact JWS by the key over `{codename, iat}`, `typ` device-proof+jws. */
  readonly proof: string;
}

export type EnrolmentRefusal = 'key_invalid' | 'proof_invalid' | 'device_limit' | 'key_taken' | 'key_revoked';

export type EnrolmentOutcome =
  | { readonly kind: 'enrolled' | 'exists'; readonly device: DeviceRecord }
  | { readonly kind: 'refused'; readonly code: EnrolmentRefusal; readonly detail: string };

/** A device key for verification. */
export interface DeviceKey {
  readonly kid: string;
  readonly operator: number;
  /** The raw Ed25519 key, base64url. */
  readonly publicKey: string;
  /** Milliseconds since the epoch; null while the key is valid. */
  readonly revokedAt: number | null;
}

/** The public part of an access-token signing key (RFC 7517). */
export interface PublicSigningJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly alg: 'EdDSA';
  readonly use: 'sig';
  readonly kid: string;
  readonly x: string;
}

/** The claims of an access token (RFC 9068). */
export interface AccessTokenRequest {
  readonly subject: string;
  /** Space-separated. */
  readonly scope: string;
  readonly audience: string;
  readonly issuer: string;
  /** Whole seconds, 1 to `MAX_ACCESS_TOKEN_LIFETIME_S`. */
  readonly lifetimeSeconds: number;
  /** The client that the token is issued to; `OPERATOR_COMMANDS_CLIENT` when absent. */
  readonly clientId?: string | undefined;
}

export interface Devices {
  /** Enrols a key after checking it and its proof. A key belongs to one operator permanently, revoked or not. */
  enrol(request: EnrolmentRequest): Promise<EnrolmentOutcome>;
  /** All of an operator's devices, revoked ones included, oldest first. */
  list(operator: number): Promise<readonly DeviceRecord[]>;
  /** Revokes a key from now on; repeating it changes nothing. False when the operator has no such device. */
  revoke(operator: number, kid: string): Promise<boolean>;
  /** False when the operator has no such device. */
  rename(operator: number, kid: string, name: string | null): Promise<boolean>;
}

/** The keys that the authorization server signs with and publishes, newest first. Private parts are key objects. */
export interface SigningSet {
  /** The `kid` of the key in use. */
  readonly current: string;
  readonly keys: readonly { readonly kid: string; readonly x: string; readonly privateKey: KeyObject }[];
}

export interface SigningKeys {
  signingSet(): Promise<SigningSet>;
  /** The public keys of unexpired tokens. The first call creates the first key. */
  jwks(): Promise<{ readonly keys: readonly PublicSigningJwk[] }>;
  /** Puts a new key in use, in this process at once and in others within `SIGNING_KEY_RELOAD_MS`. */
  rotate(): Promise<{ readonly kid: string }>;
  /** @throws RangeError when the lifetime is out of bounds. */
  mintAccessToken(request: AccessTokenRequest): Promise<string>;
}

/** Invalidates accounts that processes have cached. */
export interface AccountChanges {
  /**
   * Runs a change of an operator's account or codename, and publishes it before and after. It takes effect in this process at
   * once, in others within `LIST_FOLLOW_MS`. An interrupted change was published before it began.
   */
  announce<Result>(operator: number, change: () => Promise<Result>): Promise<Result>;
  /**
   * A number that grows with each change; 0 without a recent change. An account read after a version of 0 may be cached while
   * the version stays 0. Under any other version a change may be in flight, and the account may be cached only briefly.
   */
  version(operator: number): Promise<number>;
}

/** The operator who owns a device key, revoked or not; null for an unknown key. `expected`: the likely owner. */
export type KeyOwners = (kid: string, expected: number) => Promise<number | null>;

/** Signing keys and shared secrets as stored in MongoDB. */
export interface StoredSecrets {
  /**
   * Encrypts all of them with the first key, if one is set; call it before anything uses them. Safe to repeat, and in several
   * processes concurrently.
   *
   * @throws SecretsKeyError when one of them does not decrypt.
   */
  encrypt(): Promise<void>;
  count(): Promise<{ readonly clear: number; readonly encrypted: number }>;
  /**
   * After a key was lost: deletes the secrets that do not decrypt, and ends all sessions and grants. Returns the ids of the
   * deleted secrets. No process of the service may run meanwhile.
   */
  discardUnreadable(): Promise<readonly string[]>;
}

export interface Accounts {
  /** Creates the account of an operator, or returns the existing one. */
  create(account: { readonly operator: number; readonly plan?: string | undefined }): Promise<Account>;
  bySubject(subject: string): Promise<Account | null>;
  byOperator(operator: number): Promise<Account | null>;
  /** False when there is no such account. */
  setPlan(operator: number, plan: string): Promise<boolean>;
  /** False when there is no such account. */
  suspend(operator: number, suspended: boolean): Promise<boolean>;
  suspendedOperators(): Promise<readonly number[]>;
  readonly devices: Devices;
  /**
   * Device keys by `kid`; unknown keys are absent from the result. Revocations are always current; unless `fresh`, the owner may
   * be a cached one from before an erasure freed the key.
   */
  readonly deviceKeys: (kids: readonly string[], fresh?: boolean) => Promise<ReadonlyMap<string, DeviceKey>>;
  readonly keyOwner: KeyOwners;
  readonly signingKeys: SigningKeys;
  /** Is `signingKeys.jwks`. */
  readonly jwks: () => Promise<{ readonly keys: readonly PublicSigningJwk[] }>;
  readonly identities: Identities;
  readonly sessions: Sessions;
  readonly oneTime: OneTimeSecrets;
  readonly oidc: OidcRecords;
  readonly denials: Denials;
  readonly changes: AccountChanges;
  readonly erasures: Erasures;
  readonly audit: AuditLog;
  /** A secret of this installation: 32 random bytes, base64url, the same in every process. */
  readonly sharedSecret: (name: string) => Promise<string>;
  readonly storedSecrets: StoredSecrets;
  /** Deletes expired documents; returns their number. */
  deleteExpired(): Promise<number>;
  /** Creates the indexes that correctness depends on; call it before anything else. Safe to repeat. */
  ensureIndexes(): Promise<void>;
}
