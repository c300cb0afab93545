import { LRUCache } from 'lru-cache';
import type { Account } from '../../engine/accounts/index.ts';
import type { Clock } from '../../engine/ranking/index.ts';
import type { Authenticator } from '../http/execute-route.ts';
import { fromStorage, Problem } from '../http/problem.ts';
import type { Caller } from '../http/route.ts';
import type { ApiPorts } from '../ports.ts';
import { isOfficialClient } from './authorization-server/clients.ts';
import { type Challenge, createChallenge } from './challenge.ts';
import type { KeySource } from './key-source.ts';
import type { OutsideAccounts } from './outside-accounts.ts';
import { type TokenExpectations, type VerifiedToken, verifyToken } from './verify-token.ts';

/** Verified tokens remembered at once, at about 1 kB each. */
const MAX_REMEMBERED_TOKENS = 65_536;

/**
 * Time after which an account is read again, in milliseconds: one that nobody told of a change of, and one that changed of
 * late, whose change may have been under way when it was read.
 */
const RECHECK_MS = { unchanged: 5 * 60 * 1_000, changed: 5_000 } as const;

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
  readonly accounts: Pick<ApiPorts['accounts'], 'bySubject' | 'denials' | 'changes'>;
  readonly operators: ApiPorts['operators'];
  /** Finds, or makes, the account of somebody whom an outside identity provider vouches for; null when it is ours. */
  readonly outside?: OutsideAccounts | null;
  readonly clock: Clock;
}

interface Remembered extends VerifiedToken {
  readonly caller: Caller;
  /** When the account was read, and the version of it that was known of then. */
  readonly readAt: number;
  readonly version: number;
}

/**
 * Makes an authenticator. A token's signature is verified once; its expiry and the deny-list are looked at every time, and
 * its account is read again when it changed.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { baseUrl, clock, keys, issuer, accounts } = options;
  const challenge = createChallenge(baseUrl, options.loginUrl);
  const expected: TokenExpectations = { issuer, audience: baseUrl, keys, clock, challenge };
  const remembered = new LRUCache<string, Remembered>({ max: MAX_REMEMBERED_TOKENS });
  /** When a token with a valid signature was last refused because of a store's record. */
  const refusedAt = new LRUCache<string, number>({ max: MAX_REMEMBERED_TOKENS });

  const recall = (token: string): Remembered | null => {
    const known = remembered.get(token);
    if (known === undefined || known.expiresAt > clock()) return known ?? null;
    remembered.delete(token);
    return null;
  };

  /** Whether what is remembered of an account is so still. */
  const holds = async ({ caller, readAt, version }: Remembered): Promise<boolean> =>
    Math.abs(clock() - readAt) < (version === 0 ? RECHECK_MS.unchanged : RECHECK_MS.changed) &&
    version === (await fromStorage(() => accounts.changes.version(caller.operator)));

  /** Finds the caller of a verified token in the stores; throws when they refuse it. */
  const admit = async (token: string, verified: VerifiedToken, known: Remembered | null): Promise<Caller> => {
    const readAt = clock();
    const denies = (subject: string): Promise<boolean> =>
      fromStorage(() => accounts.denials.denies({ ...verified, subject }));
    const denied = await denies(known?.caller.subject ?? verified.subject);
    if (known !== null && !denied && (await holds(known))) return known.caller;
    const { caller, version } = await findCaller(verified, options, challenge);
    // An outside provider has another name for the subject than the deny-list.
    if (denied || (caller.subject !== verified.subject && (await denies(caller.subject)))) {
      throw challenge('token_invalid', 'The token has been revoked.');
    }
    remembered.set(token, { ...verified, caller, readAt, version });
    return caller;
  };

  return {
    async authenticate(authorization) {
      const token = readBearer(authorization);
      if (token === null) throw challenge('token_missing', 'Send the access token in the Authorization header.');
      if (token === '') throw challenge('token_invalid', 'The Authorization header carries no bearer token.');
      const known = recall(token);
      const verified = known ?? (await verifyToken(token, expected));
      try {
        return await admit(token, verified, known);
      } catch (error) {
        refusedAt.set(token, clock());
        throw error;
      }
    },
    async verifies(authorization) {
      const token = readBearer(authorization);
      if (token === null || token === '') return false;
      if (clock() - (refusedAt.get(token) ?? Number.NEGATIVE_INFINITY) < RECHECK_MS.changed) return false;
      if (recall(token) !== null) return true;
      return verifyToken(token, expected).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Problem && error.status < 500) return false;
          throw error;
        },
      );
    },
  };
}

/** @throws Problem account_unknown, account_suspended, storage_unavailable. */
async function findCaller(
  verified: VerifiedToken,
  { accounts, operators, outside = null }: AuthenticatorOptions,
  challenge: Challenge,
): Promise<Pick<Remembered, 'caller' | 'version'>> {
  const findAccount = async (): Promise<Account> => {
    const account = await fromStorage(() =>
      outside === null ? accounts.bySubject(verified.subject) : outside.admit(verified),
    );
    if (account === null) throw challenge('account_unknown', 'The account of this token does not exist.');
    if (account.suspended) throw challenge('account_suspended', 'The account of this token is suspended.');
    return account;
  };
  const found = await findAccount();
  const version = await fromStorage(() => accounts.changes.version(found.operator));
  // What was read before a version was asked for may be older than it. Most accounts have not changed of late.
  const { subject, operator, plan } = version === 0 ? found : await findAccount();
  const record = await fromStorage(() => operators.byNumber(operator));
  if (record === null) throw challenge('account_unknown', 'The operator of this token does not exist.');
  const usesOfficialClient = isOfficialClient(verified.client);
  return { caller: { subject, operator, codename: record.codename, plan, usesOfficialClient }, version };
}

/** The bearer token; null without a header, empty when the header carries none. */
function readBearer(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization === '') return null;
  if (authorization.length > MAX_TOKEN_LENGTH) return '';
  return BEARER.exec(authorization)?.[1] ?? '';
}
