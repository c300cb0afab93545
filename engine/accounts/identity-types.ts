import type { Account } from './account.ts';

/** Ways to sign in. `development` exists in local mode alone; `outside` is an identity provider used instead of ours. */
export type SignInProvider = 'github' | 'twitter' | 'email_magic_link' | 'development' | 'outside';

/** A way of signing in that an account has. Times are ISO 8601 in UTC. */
export interface Identity {
  /** The provider and its own, unchanging name of the person. */
  readonly key: string;
  readonly operator: number;
  readonly provider: SignInProvider;
  /** What its owner knows it by: a user name or an address. */
  readonly label: string;
  /** The address the provider vouches for, in canonical form; null when it vouches for none. */
  readonly email: string | null;
  readonly created_at: string;
  readonly used_at: string;
}

/** What a provider says of who has just signed in there. */
export interface SignedInPerson {
  readonly provider: SignInProvider;
  /** The provider's own, unchanging name of the person. */
  readonly subject: string;
  readonly label: string;
  /** Only an address that the provider has verified. */
  readonly verifiedEmail: string | null;
}

/** Makes and unmakes operators, which are the ranking engine's. */
export interface OperatorMaker {
  /** Creates an operator under a new codename; answers its number. */
  make(): Promise<number>;
  /** Takes back one that lost a race and that nobody has seen. */
  discard(operator: number): Promise<void>;
}

/**
 * What happens to a new identity whose address belongs to an account: `ask` the person to follow a link mailed to the
 * address, `join` that account because a link was followed, or make a `separate` account without the address.
 */
export type AddressPolicy = 'ask' | 'join' | 'separate';

export type SignInOutcome =
  | {
      readonly kind: 'signed_in';
      readonly account: Account;
      /** The key of the identity that signed in. */
      readonly identity: string;
      readonly created: boolean;
      /** Whether the identity joined the account by this sign-in. */
      readonly attached: boolean;
    }
  /** The address, in canonical form, belongs to an account that does not have the identity. */
  | { readonly kind: 'address_known'; readonly address: string }
  | { readonly kind: 'suspended' };

export type LinkOutcome = 'linked' | 'exists' | 'taken' | 'full';

export type UnlinkOutcome = 'unlinked' | 'unknown' | 'last';

export interface Identities {
  /**
   * The account of a person: by identity, else by verified address as far as the policy allows, else a new one. Any number of
   * first sign-ins of one person at one time make one account.
   */
  signIn(
    person: SignedInPerson,
    maker: OperatorMaker,
    options: { readonly client: string | null; readonly knownAddress: AddressPolicy },
  ): Promise<SignInOutcome>;
  find(provider: SignInProvider, subject: string): Promise<Identity | null>;
  /** The account of an identity, suspended or not; null when it was never seen. */
  accountOf(provider: SignInProvider, subject: string): Promise<Account | null>;
  /** Adds a way to sign in. `taken` when it is another account's. */
  link(operator: number, person: SignedInPerson, client: string | null): Promise<LinkOutcome>;
  /** Removes a way to sign in, but not the last, and ends the sessions and grants that it opened. */
  unlink(operator: number, key: string, client: string | null): Promise<UnlinkOutcome>;
  list(operator: number): Promise<readonly Identity[]>;
  /** The addresses that the account's identities vouch for now, the oldest first. */
  addressesOf(operator: number): Promise<readonly string[]>;
}

/** A browser that is signed in. Times are milliseconds since the epoch. */
export interface Session {
  readonly operator: number;
  readonly provider: SignInProvider;
  /** The key of the identity that opened it; null for sessions from before it was kept. */
  readonly identity: string | null;
  readonly authenticatedAt: number;
  readonly expiresAt: number;
}

export interface Sessions {
  /** Signs a browser in and returns the secret that it is to hold; null when the identity was unlinked meanwhile. */
  begin(opener: {
    readonly operator: number;
    readonly provider: SignInProvider;
    readonly identity: string;
  }): Promise<{ readonly secret: string; readonly session: Session } | null>;
  find(secret: string): Promise<Session | null>;
  end(secret: string): Promise<void>;
  /** The browsers that are signed in, without their secrets; the oldest first. */
  list(operator: number): Promise<readonly Session[]>;
  /** Signs every browser out; answers how many there were. */
  endAll(operator: number): Promise<number>;
  count(operator: number): Promise<number>;
}

/** What a one-time secret is for. */
export type OneTimeKind = 'link' | 'upstream' | 'ticket';

export interface OneTimeRequest {
  readonly kind: OneTimeKind;
  readonly data: Readonly<Record<string, unknown>>;
  readonly lifetimeMs: number;
  /** What it is about, such as an address. An erasure deletes by it. */
  readonly about?: string;
}

/** How many secrets a requester may have issued. */
export interface OneTimeShare {
  /** Names the requester, and what is asked for. */
  readonly of: string;
  readonly most: number;
  /** Length of the fixed periods that a share is counted in, aligned to the epoch. */
  readonly periodMs: number;
}

export interface OneTimeRecord {
  readonly data: Readonly<Record<string, unknown>>;
  readonly state: 'fresh' | 'used' | 'late';
}

export interface OneTimeSecrets {
  /** Makes a secret; the store keeps its hash alone. */
  issue(request: OneTimeRequest): Promise<string>;
  /** What is known of a secret, spending nothing; null when there is none. */
  peek(kind: OneTimeKind, secret: string): Promise<OneTimeRecord | null>;
  /** Spends a secret: answers its data once, then null. */
  consume(kind: OneTimeKind, secret: string): Promise<Readonly<Record<string, unknown>> | null>;
  /** Issues a secret unless the share is used up, in any number of processes; null then. */
  issueWithin(share: OneTimeShare, request: OneTimeRequest): Promise<string | null>;
}

/** A record of the authorization server. `id` is a credential, and kept as a hash. */
export interface OidcRecord {
  readonly model: string;
  readonly id: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly grantId?: string | undefined;
  readonly uid?: string | undefined;
  readonly userCode?: string | undefined;
  readonly subject?: string | undefined;
  /** Seconds; undefined is for ever. */
  readonly lifetimeSeconds?: number | undefined;
}

export interface FoundOidcRecord {
  readonly payload: Readonly<Record<string, unknown>>;
  /** Seconds since the epoch; null while it was not used. */
  readonly consumedAt: number | null;
}

export interface OidcRecords {
  put(record: OidcRecord): Promise<void>;
  /** False when there is one with this id: nothing is changed then. */
  putOnce(record: OidcRecord): Promise<boolean>;
  find(model: string, id: string): Promise<FoundOidcRecord | null>;
  findBy(model: string, field: 'uid' | 'user_code', value: string): Promise<FoundOidcRecord | null>;
  /** Extends a record's life to so many seconds from now, if it exists and would end earlier. */
  prolong(model: string, id: string, lifetimeSeconds: number): Promise<void>;
  destroy(model: string, id: string): Promise<void>;
  /** Uses a record up; of any number of callers one is answered true. */
  consume(model: string, id: string): Promise<boolean>;
  /** Ends a grant: everything made from it, and the access tokens that are under way. */
  revokeGrant(grantId: string): Promise<void>;
  /** Notes which identity opened a new grant; false, and the grant ends, when the identity was unlinked meanwhile. */
  noteOpener(grantId: string, identity: Pick<Identity, 'operator' | 'key'>): Promise<boolean>;
  /** Ends the grants of an account that an identity opened, and those that do not name theirs. */
  revokeOpenedBy(subject: string, identity: string): Promise<void>;
  /** Ends all grants of an account. */
  revokeSubject(subject: string): Promise<void>;
}

/** What a token says that the deny-list goes by. */
export interface DeniableToken {
  readonly subject: string;
  /** The name of its grant as the deny-list knows it; null when the token says none. */
  readonly grant: string | null;
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
}

/** Follows the deny-list. Nothing denied is let through later than `LIST_FOLLOW_MS` after it was. */
export interface Denials {
  /** Refuses a subject's tokens that were issued until now. */
  denySubject(subject: string): Promise<void>;
  /** Whether a token is refused although it has not expired. Throws when the list cannot be read and is too old. */
  denies(token: DeniableToken): Promise<boolean>;
}

/** An operator who asked to be forgotten. It names nobody: kept outside the database, it is replayed after a restore. */
export interface Erasure {
  readonly operator: number;
  /** SHA-256 of the account's subject, base64url: a number that was given anew after a restore is not mistaken. */
  readonly subject_hash: string;
  /** ISO 8601 in UTC. */
  readonly erased_at: string;
}

export interface Erasures {
  /** Notes the wish, durably, before anything is done; null when there is no account. */
  begin(operator: number): Promise<Erasure | null>;
  /** Deletes everything this module knows of the operator. Safe to repeat. */
  erase(operator: number): Promise<void>;
  finish(operator: number): Promise<void>;
  /** Those not finished, and those of the last hour, after which what was under way may have arrived. */
  open(): Promise<readonly Erasure[]>;
  list(): Promise<readonly Erasure[]>;
  /** Takes an erasure from a list: false when the account of that number is not the one that was erased. */
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
  /** The client's address, as far as the limiter tells addresses apart. */
  readonly client: string | null;
  readonly detail: Readonly<Record<string, string>>;
}

export interface AuditLog {
  record(event: Omit<AuditEvent, 'at'>): Promise<void>;
  /** An operator's events, newest first. */
  list(operator: number, limit: number): Promise<readonly AuditEvent[]>;
}
