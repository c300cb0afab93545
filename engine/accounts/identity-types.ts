import type { Account } from './account.ts';

/** Ways to sign in. `development` exists only in local mode; `outside` is an external identity provider used instead of the built-in one. */
export type SignInProvider = 'github' | 'twitter' | 'email_magic_link' | 'development' | 'outside';

/** A way to sign in to an account. Times are ISO 8601 in UTC. */
export interface Identity {
  /** `{provider}:{subject}`, where the subject is the provider's permanent id of the person. */
  readonly key: string;
  readonly operator: number;
  readonly provider: SignInProvider;
  /** A user name or an address, for display. */
  readonly label: string;
  /** The address that the provider has verified, in canonical form; null without one. */
  readonly email: string | null;
  readonly created_at: string;
  readonly used_at: string;
}

/** A provider's statement about the person who has just signed in there. */
export interface SignedInPerson {
  readonly provider: SignInProvider;
  /** The provider's permanent id of the person. */
  readonly subject: string;
  readonly label: string;
  /** Only an address that the provider has verified. */
  readonly verifiedEmail: string | null;
}

/** Creates operators in the ranking engine. */
export interface OperatorMaker {
  /** Creates an operator under a new codename; returns its sequence number. */
  make(): Promise<number>;
  /** Deletes an operator that lost a race and was never visible. */
  discard(operator: number): Promise<void>;
}

/**
 * What happens to a new identity whose address belongs to an account: `ask` the person to follow a link mailed to the
 * address, `join` that account because the link was followed, or create a `separate` account without the address.
 */
export type AddressPolicy = 'ask' | 'join' | 'separate';

export type SignInOutcome =
  | {
      readonly kind: 'signed_in';
      readonly account: Account;
      /** The key of the identity that signed in. */
      readonly identity: string;
      readonly created: boolean;
      /** Whether this sign-in added the identity to the account. */
      readonly attached: boolean;
    }
  /** The address, in canonical form, belongs to an account without this identity. */
  | { readonly kind: 'address_known'; readonly address: string }
  | { readonly kind: 'suspended' };

export type LinkOutcome = 'linked' | 'exists' | 'taken' | 'full';

export type UnlinkOutcome = 'unlinked' | 'unknown' | 'last';

export interface Identities {
  /**
   * Finds the account of a person by identity, else by verified address as far as the policy allows, else creates one. Any
   * number of concurrent first sign-ins of one person create one account.
   */
  signIn(
    person: SignedInPerson,
    maker: OperatorMaker,
    options: { readonly client: string | null; readonly knownAddress: AddressPolicy },
  ): Promise<SignInOutcome>;
  find(provider: SignInProvider, subject: string): Promise<Identity | null>;
  /** The account of an identity, suspended or not; null for an unknown identity. */
  accountOf(provider: SignInProvider, subject: string): Promise<Account | null>;
  /** Adds a way to sign in. `taken`: it belongs to another account. */
  link(operator: number, person: SignedInPerson, client: string | null): Promise<LinkOutcome>;
  /** Removes a way to sign in, but not the last, and ends the sessions and grants that it opened. */
  unlink(operator: number, key: string, client: string | null): Promise<UnlinkOutcome>;
  list(operator: number): Promise<readonly Identity[]>;
  /** The verified addresses of the account's identities, oldest first. */
  addressesOf(operator: number): Promise<readonly string[]>;
}

/** A signed-in browser. Times are milliseconds since the epoch. */
export interface Session {
  readonly operator: number;
  readonly provider: SignInProvider;
  /** The key of the identity that opened the session; null for sessions stored before this field existed. */
  readonly identity: string | null;
  readonly authenticatedAt: number;
  readonly expiresAt: number;
}

export interface Sessions {
  /** Signs a browser in and returns its secret for the cookie; null when the identity was unlinked, or the account suspended, meanwhile. */
  begin(opener: {
    readonly operator: number;
    readonly provider: SignInProvider;
    readonly identity: string;
  }): Promise<{ readonly secret: string; readonly session: Session } | null>;
  find(secret: string): Promise<Session | null>;
  end(secret: string): Promise<void>;
  /** The signed-in browsers without their secrets, oldest first. */
  list(operator: number): Promise<readonly Session[]>;
  /** Signs every browser out; returns their number. */
  endAll(operator: number): Promise<number>;
  count(operator: number): Promise<number>;
}

export type OneTimeKind = 'link' | 'upstream' | 'ticket';

export interface OneTimeRequest {
  readonly kind: OneTimeKind;
  readonly data: Readonly<Record<string, unknown>>;
  readonly lifetimeMs: number;
  /** Hash of what the secret concerns, such as an address. An erasure deletes by it. */
  readonly about?: string;
}

/** How many secrets one requester can get in a period. */
export interface OneTimeQuota {
  /** Identifies the requester and the purpose. */
  readonly requester: string;
  readonly max: number;
  /** Length of the fixed counting periods, aligned to the epoch. */
  readonly periodMs: number;
}

export interface OneTimeRecord {
  readonly data: Readonly<Record<string, unknown>>;
  readonly state: 'fresh' | 'used' | 'late';
}

export interface OneTimeSecrets {
  /** Creates a secret; only its hash is stored. */
  issue(request: OneTimeRequest): Promise<string>;
  /** Returns the record of a secret without consuming it; null for an unknown secret. */
  peek(kind: OneTimeKind, secret: string): Promise<OneTimeRecord | null>;
  /** Consumes a secret: returns its data once, then null. */
  consume(kind: OneTimeKind, secret: string): Promise<Readonly<Record<string, unknown>> | null>;
  /** Issues a secret; null when the quota, shared by all processes, is used up. */
  issueWithin(quota: OneTimeQuota, request: OneTimeRequest): Promise<string | null>;
}

/** A record of the authorization server. `id` is a credential, stored as a hash. */
export interface OidcRecord {
  readonly model: string;
  readonly id: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly grantId?: string | undefined;
  readonly uid?: string | undefined;
  readonly userCode?: string | undefined;
  readonly subject?: string | undefined;
  /** Seconds; undefined: does not expire. */
  readonly lifetimeSeconds?: number | undefined;
}

export interface FoundOidcRecord {
  readonly payload: Readonly<Record<string, unknown>>;
  /** Seconds since the epoch; null while unused. */
  readonly consumedAt: number | null;
}

export interface OidcRecords {
  put(record: OidcRecord): Promise<void>;
  find(model: string, id: string): Promise<FoundOidcRecord | null>;
  findBy(model: string, field: 'uid' | 'user_code', value: string): Promise<FoundOidcRecord | null>;
  /** Extends a record's lifetime to this many seconds from now, if it exists and would end earlier. */
  prolong(model: string, id: string, lifetimeSeconds: number): Promise<void>;
  destroy(model: string, id: string): Promise<void>;
  /** Consumes a record; returns true to one of any number of callers. */
  consume(model: string, id: string): Promise<boolean>;
  /** Ends a grant: deletes every record made from it, and denies its unexpired access tokens. */
  revokeGrant(grantId: string): Promise<void>;
  /** Stores which identity opened a new grant; false, and the grant ends, when the identity was unlinked meanwhile. */
  recordOpener(grantId: string, identity: Pick<Identity, 'operator' | 'key'>): Promise<boolean>;
  /** Ends the grants of an account that an identity opened, and those stored without an identity. */
  revokeOpenedBy(subject: string, identity: string): Promise<void>;
  /** Ends all grants of an account. */
  revokeSubject(subject: string): Promise<void>;
}

/** The claims of a token that the deny-list checks. */
export interface DeniableToken {
  readonly subject: string;
  /** The public id of its grant (`publicGrantId`); null when the token has none. */
  readonly grant: string | null;
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
}

/** The deny-list. A denial takes effect in every process within `LIST_FOLLOW_MS`. */
export interface Denials {
  /** Denies a subject's tokens issued until now. */
  denySubject(subject: string): Promise<void>;
  /** Whether an unexpired token is denied. Throws when the list is too old and cannot be read. */
  denies(token: DeniableToken): Promise<boolean>;
}

/** An operator who asked for erasure, without personal data: exported from the database, it is replayed after a restore. */
export interface Erasure {
  readonly operator: number;
  /** SHA-256 of the account's subject, base64url: detects an operator number that was reassigned after a restore. */
  readonly subject_hash: string;
  /** ISO 8601 in UTC. */
  readonly erased_at: string;
}

export interface Erasures {
  /** Records the request durably before anything is deleted; null when there is no account. */
  begin(operator: number): Promise<Erasure | null>;
  /** Deletes everything that this module stores about the operator. Safe to repeat. */
  erase(operator: number): Promise<void>;
  finish(operator: number): Promise<void>;
  /** The unfinished erasures, and those of the last hour, which are repeated for writes that were in flight. */
  open(): Promise<readonly Erasure[]>;
  list(): Promise<readonly Erasure[]>;
  /** Replays an erasure: false when the account of that number is not the one that was erased. */
  adopt(erasure: Erasure): Promise<boolean>;
}

export type AuditKind =
  | 'operator_created'
  | 'operator_erased'
  | 'operator_suspended'
  | 'operator_restored'
  | 'signed_in'
  | 'sign_in_refused'
  | 'signed_out'
  | 'signed_out_everywhere'
  | 'identity_linked'
  | 'identity_unlinked'
  | 'codename_changed'
  | 'display_name_changed'
  | 'device_enrolled'
  | 'device_revoked'
  | 'access_granted'
  | 'access_refused'
  | 'signing_key_rotated'
  | 'secrets_discarded';

/** One event of the audit log. */
export interface AuditEvent {
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly kind: AuditKind;
  readonly operator: number | null;
  /** The client's address, or its network, as the rate limiter counts it. */
  readonly client: string | null;
  readonly detail: Readonly<Record<string, string>>;
}

export interface AuditLog {
  record(event: Omit<AuditEvent, 'at'>): Promise<void>;
  /** An operator's events, newest first. */
  list(operator: number, limit: number): Promise<readonly AuditEvent[]>;
}
