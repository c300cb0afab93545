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

/** The present moment in milliseconds since the epoch. */
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
  /** The public JWK, not yet checked. */
  readonly jwk: unknown;
  readonly name?: string | undefined;
  /** Compact JWS by the key over `{codename, iat}`, `typ` device-proof+jws. */
  readonly proof: string;
}

export type EnrolmentRefusal = 'key_invalid' | 'proof_invalid' | 'device_limit' | 'key_taken' | 'key_revoked';

export type EnrolmentOutcome =
  | { readonly kind: 'enrolled' | 'exists'; readonly device: DeviceRecord }
  | { readonly kind: 'refused'; readonly code: EnrolmentRefusal; readonly detail: string };

/** A device key as verification needs it. */
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

/** What an access token says (RFC 9068). */
export interface AccessTokenRequest {
  readonly subject: string;
  /** Space-separated. */
  readonly scope: string;
  readonly audience: string;
  readonly issuer: string;
  /** Whole seconds, 1 to `MAX_ACCESS_TOKEN_LIFETIME_S`. */
  readonly lifetimeSeconds: number;
  /** The client it is issued to; the operator commands when absent. */
  readonly clientId?: string | undefined;
}

export interface Devices {
  /** Enrols a key after checking it and its proof. A key belongs to one operator for ever, revoked or not. */
  enrol(request: EnrolmentRequest): Promise<EnrolmentOutcome>;
  /** All of an operator's devices, revoked ones included, oldest first. */
  list(operator: number): Promise<readonly DeviceRecord[]>;
  /** Revokes a key from this moment on; repeating it changes nothing. False when the operator has no such device. */
  revoke(operator: number, kid: string): Promise<boolean>;
  /** False when the operator has no such device. */
  rename(operator: number, kid: string, name: string | null): Promise<boolean>;
}

/** The keys that our own authorization server signs with and publishes, newest first. Private parts are key objects. */
export interface SigningSet {
  /** The `kid` of the one in use. */
  readonly current: string;
  readonly keys: readonly { readonly kid: string; readonly x: string; readonly privateKey: KeyObject }[];
}

export interface SigningKeys {
  signingSet(): Promise<SigningSet>;
  /** The public keys under which unexpired tokens may be signed; the one in use is made on first need. */
  jwks(): Promise<{ readonly keys: readonly PublicSigningJwk[] }>;
  /** Puts a new key in use, here at once and in other processes within `SIGNING_KEY_RELOAD_MS`. */
  rotate(): Promise<{ readonly kid: string }>;
  /** @throws RangeError when the lifetime is out of bounds. */
  mintAccessToken(request: AccessTokenRequest): Promise<string>;
}

/** What tells processes that remember accounts which of them to read again. */
export interface AccountChanges {
  /**
   * Makes a change of an operator's account or codename, and tells of it before and after. Known here at once, in other
   * processes at most `LIST_FOLLOW_MS` later. One that ends half-way was told of all the same.
   */
  announce<Result>(operator: number, change: () => Promise<Result>): Promise<Result>;
  /**
   * A number that grows with each change, 0 when there was none of late. What was read after asking for a 0 holds while it
   * stays 0; under any other, a change may be under way, and what is read holds for moments only.
   */
  version(operator: number): Promise<number>;
}

/** The operator that a device key belongs to, revoked or not; null when there is no such key. `expected`: the likely owner. */
export type KeyOwners = (kid: string, expected: number) => Promise<number | null>;

/** Signing keys and shared secrets as MongoDB holds them. */
export interface StoredSecrets {
  /**
   * Encrypts all of them with the first key, where there is one; to be called before anything uses them. Safe to repeat,
   * and in several processes at once.
   *
   * @throws SecretsKeyError when one of them does not decrypt.
   */
  encrypt(): Promise<void>;
  count(): Promise<{ readonly clear: number; readonly encrypted: number }>;
  /**
   * After a key was lost: deletes the secrets that do not decrypt, and signs everybody out. Returns the names of the
   * secrets. No process of the service may run meanwhile.
   */
  discardUnreadable(): Promise<readonly string[]>;
}

/** Operators' accounts, their device keys, and the keys that access tokens are signed with. */
export interface Accounts {
  /** Creates the account of an operator, or answers the one it has: safe to repeat. */
  create(account: { readonly operator: number; readonly plan?: string | undefined }): Promise<Account>;
  bySubject(subject: string): Promise<Account | null>;
  byOperator(operator: number): Promise<Account | null>;
  /** False when there is no such account. */
  setPlan(operator: number, plan: string): Promise<boolean>;
  /** False when there is no such account. */
  suspend(operator: number, suspended: boolean): Promise<boolean>;
  /** The operators whose accounts are suspended. */
  suspendedOperators(): Promise<readonly number[]>;
  readonly devices: Devices;
  /**
   * Device keys by `kid`; keys that do not exist are absent from the answer. A revocation is always known; an owner may be
   * remembered from before the key changed hands, unless `fresh`.
   */
  readonly deviceKeys: (kids: readonly string[], fresh?: boolean) => Promise<ReadonlyMap<string, DeviceKey>>;
  readonly keyOwner: KeyOwners;
  readonly signingKeys: SigningKeys;
  /** The same as `signingKeys.jwks`. */
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
  /** Deletes what has expired; answers how many documents that was. */
  sweepExpired(): Promise<number>;
  /** Creates the indexes that correctness rests on; to be called before anything else is. Safe to repeat. */
  ensureIndexes(): Promise<void>;
}
