import { type Account, MAX_ACCESS_TOKEN_LIFETIME_S } from '../../../engine/accounts/index.ts';
import { CommandError } from '../command-error.ts';
import type { CommandConfig } from '../find-service.ts';
import { durationText } from '../parse-duration.ts';
import type { Service } from '../service.ts';

/** The scopes that the operations with a token declare. */
const SCOPE = 'openid profile email';

/** An access token with what a client needs to use it, as a token endpoint would answer (RFC 6749, section 5.1). */
export interface IssuedToken {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  readonly scope: string;
  readonly base_url: string;
}

/** Mints an access token for an account, to be used at this service's address. `requireOwnTokens` comes first. */
export async function mintToken(
  { accounts, config }: Pick<Service, 'accounts' | 'config'>,
  account: Account,
  lifetimeSeconds: number,
): Promise<IssuedToken> {
  const { baseUrl, issuer } = config;
  const claims = { subject: account.subject, scope: SCOPE, audience: baseUrl, issuer, lifetimeSeconds };
  const access_token = await accounts.signingKeys.mintAccessToken(claims);
  return { access_token, token_type: 'Bearer', expires_in: lifetimeSeconds, scope: SCOPE, base_url: baseUrl };
}

/** @throws CommandError when no token may live so long. */
export function requireTokenLifetime(lifetimeSeconds: number): void {
  if (lifetimeSeconds <= MAX_ACCESS_TOKEN_LIFETIME_S) return;
  throw new CommandError(
    `an access token lives at most ${durationText(MAX_ACCESS_TOKEN_LIFETIME_S)}`,
    'Ask for a shorter --expires-in.',
  );
}

/** @throws CommandError when the service accepts only tokens of an outside identity provider. */
export function requireOwnTokens({ issuer, jwksUrl }: CommandConfig): void {
  if (jwksUrl === undefined) return;
  throw new CommandError(
    `access tokens of this service come from ${issuer}, not from here`,
    'Sign in there for a token, or unset ISSUER and JWKS_URL.',
  );
}
