import { type Account, MAX_ACCESS_TOKEN_LIFETIME_S } from '../../../engine/accounts/index.ts';
import { CommandError } from '../command-error.ts';
import type { CommandConfig } from '../find-service.ts';
import { durationText } from '../parse-duration.ts';
import type { Service } from '../service.ts';

/** The scopes that the API's operations require. */
const SCOPE = 'openid profile email';

/** An access token in the form of a token endpoint response (RFC 6749, section 5.1), with the API's base URL. */
export interface IssuedToken {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  readonly scope: string;
  readonly base_url: string;
}

/** Mints an access token for an account and this service's base URL. Call `requireOwnTokens` first. */
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

/** @throws CommandError when the lifetime is over the maximum. */
export function requireTokenLifetime(lifetimeSeconds: number): void {
  if (lifetimeSeconds <= MAX_ACCESS_TOKEN_LIFETIME_S) return;
  throw new CommandError(
    `an access token lives at most ${durationText(MAX_ACCESS_TOKEN_LIFETIME_S)}`,
    'Ask for a shorter --expires-in.',
  );
}

/** @throws CommandError when the service accepts only tokens of an external identity provider. */
export function requireOwnTokens({ issuer, jwksUrl }: CommandConfig): void {
  if (jwksUrl === undefined) return;
  throw new CommandError(
    `this service accepts only access tokens issued by ${issuer}`,
    'Sign in there for a token, or unset ISSUER and JWKS_URL.',
  );
}
