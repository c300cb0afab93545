/** An operator's account. Times are ISO 8601 in UTC. */
export interface Account {
  /** Subject of its access tokens: opaque, random, permanent. */
  readonly subject: string;
  /** Sequence number, assigned by the ranking engine. */
  readonly operator: number;
  readonly plan: string;
  readonly suspended: boolean;
  /** Whether it may decide integrity cases. */
  readonly moderator: boolean;
  readonly created_at: string;
}

/** A device whose key may sign snapshots. Times are ISO 8601 in UTC; `revoked_at` is null while the key is valid. */
export interface DeviceRecord {
  readonly kid: string;
  readonly name: string | null;
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** Of the key of an automation token. `used_at` is null before the first use. */
  readonly automation?: { readonly expires_at: string; readonly used_at: string | null };
}

/** Ways to sign in. `development` exists only in local mode. */
export const SIGN_IN_PROVIDERS = ['github', 'twitter', 'oidc', 'email_magic_link', 'development'] as const;

export type SignInProvider = (typeof SIGN_IN_PROVIDERS)[number];

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

export const ONE_TIME_KINDS = ['link', 'upstream', 'ticket'] as const;

export type OneTimeKind = (typeof ONE_TIME_KINDS)[number];

/** An operator who asked for erasure, without personal data: exported from the database, it is replayed after a restore. */
export interface Erasure {
  readonly operator: number;
  /** SHA-256 of the account's subject, base64url: detects an operator number that was reassigned after a restore. */
  readonly subject_hash: string;
  /** ISO 8601 in UTC. */
  readonly erased_at: string;
}

export const AUDIT_KINDS = [
  'operator_created',
  'operator_erased',
  'operator_suspended',
  'operator_restored',
  'signed_in',
  'sign_in_refused',
  'signed_out',
  'signed_out_everywhere',
  'identity_linked',
  'identity_unlinked',
  'codename_changed',
  'display_name_changed',
  'device_enrolled',
  'device_revoked',
  'automation_token_made',
  'access_granted',
  'access_refused',
  'signing_key_rotated',
  'secrets_discarded',
  'moderator_granted',
  'moderator_revoked',
  'integrity_decided',
  'integrity_decision_made',
] as const;

/** One event of the audit log. */
export interface AuditEvent {
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly kind: (typeof AUDIT_KINDS)[number];
  readonly operator: number | null;
  /** The client's address, or its network, as the rate limiter counts it. */
  readonly client: string | null;
  readonly detail: Readonly<Record<string, string>>;
}
