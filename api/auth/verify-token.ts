import { errors, type JWTPayload, type JWTVerifyResult, jwtVerify } from 'jose';
import type { Clock } from '../../engine/ranking/index.ts';
import { Problem } from '../http/problem.ts';
import type { Challenge } from './challenge.ts';
import type { KeySource } from './key-source.ts';
import { REQUIRED_SCOPES } from './scopes.ts';

/** The header of access tokens: RFC 9068, signed by the service's keys. */
const HEADER = { alg: 'EdDSA', typ: 'at+jwt' } as const;

/** Tolerated difference between the clocks of processes, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 5;

/** The claims of a verified token. Times are milliseconds since the epoch; a claim that the token lacks is null. */
export type VerifiedToken = Awaited<ReturnType<typeof verifyToken>>;

interface TokenExpectations {
  readonly issuer: string;
  readonly audience: string;
  readonly keys: KeySource;
  readonly clock: Clock;
  readonly challenge: Challenge;
}

/** Verifies a JWT access token: signature, issuer, audience, times, type, scopes. @throws Problem token_*. */
export async function verifyToken(token: string, expected: TokenExpectations) {
  const { challenge } = expected;
  const { payload, protectedHeader } = await verifySignature(token, expected);
  if (protectedHeader.typ !== HEADER.typ) throw challenge('token_invalid', 'The token is not an access token.');
  const { sub, exp, iat = 0, grant, client_id: client } = payload;
  if (sub === undefined || sub === '' || exp === undefined) {
    throw challenge('token_invalid', 'The token has no subject or no expiry.');
  }
  const scopes = scopesOf(payload);
  const missing = REQUIRED_SCOPES.filter((scope) => !scopes.has(scope));
  if (missing.length > 0) throw challenge('token_scope', `The token lacks the scope ${missing.join(' ')}.`);
  return {
    subject: sub,
    /** The public id of its grant, for the deny-list. */
    grant: typeof grant === 'string' ? grant : null,
    /** The client it was issued to. */
    client: typeof client === 'string' ? client : null,
    seesLeagues: scopes.has('leagues'),
    /** 0 without one. */
    issuedAt: iat * 1000,
    expiresAt: exp * 1000,
  };
}

async function verifySignature(token: string, expected: TokenExpectations): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, (header, jws) => findKey(expected.keys, header, jws), {
      algorithms: [HEADER.alg],
      issuer: expected.issuer,
      audience: expected.audience,
      requiredClaims: ['sub', 'exp'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(expected.clock()),
    });
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    throw refusalOf(error, expected.challenge);
  }
}

/** Finds the token's key. Jose's errors concern the token; any other error is the store's. */
async function findKey(
  keys: KeySource,
  ...[header, token]: Parameters<KeySource>
): Promise<Awaited<ReturnType<KeySource>>> {
  try {
    return await keys(header, token);
  } catch (error) {
    if (error instanceof errors.JOSEError) throw error;
    throw new Problem('storage_unavailable', { detail: 'The token keys could not be read.', cause: error });
  }
}

function refusalOf(error: errors.JOSEError, challenge: Challenge) {
  if (error instanceof errors.JWTExpired) return challenge('token_expired', 'The token has expired.', error);
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud') {
    return challenge('token_audience', 'The token is not for this service.', error);
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    return challenge('token_invalid', `The token's ${error.claim} claim is not acceptable.`, error);
  }
  return challenge('token_invalid', 'The token could not be verified.', error);
}

function scopesOf(payload: JWTPayload): ReadonlySet<string> {
  const scope = payload['scope'];
  return new Set(typeof scope === 'string' ? scope.split(' ') : []);
}
