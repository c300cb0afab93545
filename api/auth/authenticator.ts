import type { Clock } from '../../engine/ranking/index.ts';
import { fromStorage } from '../http/problem.ts';
import type { Caller } from '../http/route.ts';
import type { ApiPorts } from '../ports.ts';
import { createChallenge } from './challenge.ts';
import type { KeySource } from './key-source.ts';
import { type TokenExpectations, type VerifiedToken, verifyToken } from './verify-token.ts';

/** Verified tokens remembered at once. */
const MAX_REMEMBERED_TOKENS = 10_000;

/** Time after which an account is looked at again, in milliseconds: a suspended or erased one is out by then. */
const ACCOUNT_RECHECK_MS = 5_000;

/** Characters of the longest token that is looked at. */
const MAX_TOKEN_LENGTH = 8_192;

// RFC 6750, 2.1: the scheme in any case, one space, a b64token.
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

export interface AuthenticatorOptions {
  readonly issuer: string;
  /** The audience that tokens are for, and the realm. */
  readonly baseUrl: string;
  readonly loginUrl: string;
  readonly keys: KeySource;
  readonly accounts: Pick<ApiPorts['accounts'], 'bySubject'>;
  readonly operators: ApiPorts['operators'];
  readonly clock: Clock;
}

interface Remembered extends VerifiedToken {
  caller: Caller;
  accountCheckedAt: number;
}

/**
 * Makes the function that tells who an Authorization header belongs to. A token's signature is verified once; its expiry
 * is looked at every time, and its account again every few seconds.
 *
 * The function throws a Problem: 401 with a challenge, or storage_unavailable.
 */
export function createAuthenticator(
  options: AuthenticatorOptions,
): (authorization: string | undefined) => Promise<Caller> {
  const { baseUrl, clock, accounts, operators } = options;
  const challenge = createChallenge(baseUrl, options.loginUrl);
  const expected: TokenExpectations = {
    issuer: options.issuer,
    audience: baseUrl,
    keys: options.keys,
    clock,
    challenge,
  };
  const remembered = new Map<string, Remembered>();

  const callerOf = async (subject: string): Promise<Caller> => {
    const account = await fromStorage(() => accounts.bySubject(subject));
    if (account === null) throw challenge('account_unknown', 'The account of this token does not exist.');
    if (account.suspended) throw challenge('account_suspended', 'The account of this token is suspended.');
    const { operator, plan } = account;
    const record = await fromStorage(() => operators.byNumber(operator));
    if (record === null) throw challenge('account_unknown', 'The operator of this token does not exist.');
    return { subject, operator, codename: record.codename, plan };
  };

  return async (authorization) => {
    const token = readBearer(authorization);
    if (token === null) throw challenge('token_missing', 'Send the access token in the Authorization header.');
    if (token === '') throw challenge('token_invalid', 'The Authorization header carries no bearer token.');
    const now = clock();
    const known = remembered.get(token);
    if (known !== undefined && known.expiresAt > now) {
      if (now - known.accountCheckedAt < ACCOUNT_RECHECK_MS) return known.caller;
      known.caller = await callerOf(known.subject);
      known.accountCheckedAt = now;
      return known.caller;
    }
    remembered.delete(token);
    const verified = await verifyToken(token, expected);
    const caller = await callerOf(verified.subject);
    if (remembered.size >= MAX_REMEMBERED_TOKENS) forgetOldest(remembered);
    remembered.set(token, { ...verified, caller, accountCheckedAt: now });
    return caller;
  };
}

/** The bearer token; null without a header, empty when the header carries none. */
function readBearer(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization === '') return null;
  if (authorization.length > MAX_TOKEN_LENGTH) return '';
  return BEARER.exec(authorization)?.[1] ?? '';
}

function forgetOldest(remembered: Map<string, unknown>): void {
  const oldest = remembered.keys().next();
  if (oldest.done !== true) remembered.delete(oldest.value);
}
