/** A device whose key may sign snapshots. Times are ISO 8601 in UTC; `revoked_at` is null while the key is valid. */
export interface DeviceRecord {
  readonly kid: string;
  /** The public key: JWK member `x`. */
  readonly x: string;
  readonly name: string | null;
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** Of the key of an automation token. `used_at` is null before the first use. */
  readonly automation?: { readonly expires_at: string; readonly used_at: string | null };
}

/** Ways to sign in. `development` exists only in local mode. */
export const SIGN_IN_PROVIDERS = ['github', 'twitter', 'oidc', 'email_magic_link', 'development'] as const;

export type SignInProvider = (typeof SIGN_IN_PROVIDERS)[number];

export const ONE_TIME_KINDS = ['link', 'upstream', 'ticket'] as const;

export type OneTimeKind = (typeof ONE_TIME_KINDS)[number];

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
  'row_hidden',
  'row_shown',
  'row_opened',
  'row_closed',
  'device_enrolled',
  'device_revoked',
  'automation_token_made',
  'access_granted',
  'access_refused',
  'access_ended',
  'signing_key_rotated',
  'secrets_discarded',
  'moderator_granted',
  'moderator_revoked',
  'league_made',
  'league_moderated',
  'integrity_decided',
  'integrity_decision_made',
] as const;
