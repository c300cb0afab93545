import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { MS_PER_SECOND } from '../../../config/units.ts';
import { MAX_ACCESS_TOKEN_LIFETIME_S } from '../limits.ts';
import type { SigningKey } from '../mongo/signing-key-store.ts';
import type { AccessTokenRequest } from '../types.ts';

/** The `client_id` of tokens minted by operator commands. */
export const OPERATOR_COMMANDS_CLIENT = 'upsilon-ops';

/**
 * A JWT access token (RFC 9068) signed by `key`, issued at `now` (milliseconds since the epoch).
 *
 * @throws RangeError when the lifetime is out of bounds.
 */
export function mintAccessToken(key: SigningKey, now: number, request: AccessTokenRequest): Promise<string> {
  const { subject, scope, audience, issuer, lifetimeSeconds, clientId = OPERATOR_COMMANDS_CLIENT } = request;
  const inBounds = lifetimeSeconds >= 1 && lifetimeSeconds <= MAX_ACCESS_TOKEN_LIFETIME_S;
  if (!Number.isInteger(lifetimeSeconds) || !inBounds) {
    throw new RangeError(`the lifetime of an access token is 1 to ${MAX_ACCESS_TOKEN_LIFETIME_S} whole seconds`);
  }
  const iat = Math.floor(now / MS_PER_SECOND);
  return new SignJWT({ client_id: clientId, scope })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: key.kid })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(subject)
    .setJti(randomUUID())
    .setIssuedAt(iat)
    .setExpirationTime(iat + lifetimeSeconds)
    .sign(key.privateKey);
}
