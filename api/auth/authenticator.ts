import { LRUCache } from 'lru-cache';
import { atMost } from '../../config/lru-options.ts';
import { type Account, OPERATOR_COMMANDS_CLIENT } from '../../engine/accounts/index.ts';
import { AUTOMATION_TOKEN_PATTERN } from '../../engine/contract/index.ts';
import type { OperatorRecord } from '../../engine/ranking/index.ts';
import type { ApiContext } from '../context/api-context.ts';
import type { Authenticator } from '../http/http-context.ts';
import { fromStorage, Problem } from '../http/problem.ts';
import type { Caller } from '../http/route.ts';
import { isOfficialClient } from './authorization-server/clients.ts';
import { type Challenge, createChallenge } from './challenge.ts';
import { createKeySource } from './key-source.ts';
import { type VerifiedToken, verifyToken } from './verify-token.ts';

/** Entries of one process, at about 1 kB each. */
const MAX_CACHED_TOKENS = 65_536;

/** Time to live of a cached account, in milliseconds. A recent change may have been in flight when the account was read. */
const CACHE_TTL_MS = { unchanged: 5 * 60 * 1_000, changed: 5_000 } as const;

/** Characters of the longest accepted token. */
const MAX_TOKEN_LENGTH = 8_192;

// RFC 6750, 2.1: the scheme in upper or lower case, one space, a b64token.
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

type Context = Pick<ApiContext, 'config' | 'accounts' | 'ranking' | 'clock'>;

interface CachedToken {
  readonly verified: VerifiedToken;
  readonly caller: Caller;
  /** When the account was read, and its version then. */
  readonly readAt: number;
  readonly version: number;
}

/** Tokens that were verified and admitted, in memory. */
function createTokenCache({ accounts, clock }: Pick<Context, 'accounts' | 'clock'>) {
  const cache = new LRUCache<string, CachedToken>(atMost(MAX_CACHED_TOKENS));
  return {
    keep: (token: string, admitted: CachedToken): void => void cache.set(token, admitted),

    /** Null for an unknown or expired token. */
    find(token: string): CachedToken | null {
      const known = cache.get(token);
      if (known === undefined || known.verified.expiresAt > clock()) return known ?? null;
      cache.delete(token);
      return null;
    },

    /** Whether the account was read recently, and has not changed since. @throws Problem storage_unavailable. */
    async isCurrent({ caller, readAt, version }: CachedToken): Promise<boolean> {
      const lifetimeMs = version === 0 ? CACHE_TTL_MS.unchanged : CACHE_TTL_MS.changed;
      const newest = await fromStorage(() => accounts.changes.version(caller.operator));
      return newest === version && Math.abs(clock() - readAt) < lifetimeMs;
    },
  };
}

/** A token's signature is verified once; expiry, the deny-list and changes of the account are checked in every request. */
export function createAuthenticator(ctx: Context): Authenticator {
  const { config, clock, accounts } = ctx;
  const challenge = createChallenge(config);
  const keys = createKeySource(accounts.jwks, clock);
  const expected = { issuer: config.authUrl, audience: config.baseUrl, keys, clock, challenge };
  const cache = createTokenCache(ctx);
  /** When a token was last refused although its form or signature is valid. */
  const refusedAt = new LRUCache<string, number>(atMost(MAX_CACHED_TOKENS));

  /** Finds the caller of a verified token in the stores; throws when it is denied, suspended or unknown. */
  const admit = async (token: string, verified: VerifiedToken, known: CachedToken | null): Promise<Caller> => {
    const readAt = clock();
    const denied = await fromStorage(() => accounts.denials.denies(verified));
    if (known !== null && !denied && (await cache.isCurrent(known))) return known.caller;
    const { caller, version } = await findCaller(verified, ctx, challenge);
    if (denied) throw challenge('token_invalid', 'The token has been revoked.');
    cache.keep(token, { verified, caller, readAt, version });
    return caller;
  };

  return {
    async authenticate(authorization, automation = false) {
      const token = readBearer(authorization);
      if (token === null) throw challenge('token_missing', 'Send the access token in the Authorization header.');
      if (token === '') throw challenge('token_invalid', 'The Authorization header carries no bearer token.');
      const known = cache.find(token);
      const isAutomation = AUTOMATION_TOKEN_PATTERN.test(token);
      const verified = known?.verified ?? (isAutomation ? null : await verifyToken(token, expected));
      try {
        if (verified === null) return await admitAutomation(token, automation, ctx, challenge);
        return await admit(token, verified, known);
      } catch (error) {
        refusedAt.set(token, clock());
        throw error;
      }
    },
    async verifies(authorization) {
      const token = readBearer(authorization);
      if (token === null || token === '') return false;
      if (clock() - (refusedAt.get(token) ?? Number.NEGATIVE_INFINITY) < CACHE_TTL_MS.changed) return false;
      if (AUTOMATION_TOKEN_PATTERN.test(token)) return fromStorage(() => accounts.automationTokens.isGenuine(token));
      if (cache.find(token) !== null) return true;
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

/** The caller of an automation token. Nothing is cached: a token ends with the request after which it is revoked. @throws Problem. */
async function admitAutomation(
  token: string,
  isAllowed: boolean,
  { accounts, ranking }: Context,
  challenge: Challenge,
): Promise<Caller> {
  const operator = await fromStorage(() => accounts.automationTokens.use(token));
  if (operator === null) throw challenge('token_invalid', 'The automation token is unknown, revoked or expired.');
  if (!isAllowed)
    throw challenge('token_scope', 'An automation token can only submit snapshots and read their verdicts.');
  const [account, record] = await fromStorage(() =>
    Promise.all([accounts.byOperator(operator), ranking.operators.byNumber(operator)]),
  );
  return callerOf(requireActive(account, challenge), record, { client: null, seesLeagues: false }, challenge);
}

/** @throws Problem account_unknown, account_suspended, storage_unavailable. */
async function findCaller(
  verified: VerifiedToken,
  { accounts, ranking }: Context,
  challenge: Challenge,
): Promise<Pick<CachedToken, 'caller' | 'version'>> {
  const findAccount = async (): Promise<Account> =>
    requireActive(await fromStorage(() => accounts.bySubject(verified.subject)), challenge);
  const found = await findAccount();
  const version = await fromStorage(() => accounts.changes.version(found.operator));
  // The account was read before its version and may be older. Without a recent change, the first read is current.
  const current = version === 0 ? found : await findAccount();
  const record = await fromStorage(() => ranking.operators.byNumber(current.operator));
  return { caller: callerOf(current, record, verified, challenge), version };
}

function requireActive(account: Account | null, challenge: Challenge): Account {
  if (account === null) throw challenge('account_unknown', 'The account of this token does not exist.');
  if (account.suspended) throw challenge('account_suspended', 'The account of this token is suspended.');
  return account;
}

/** The caller of a token. */
function callerOf(
  { subject, operator, plan }: Account,
  record: Pick<OperatorRecord, 'codename' | 'offBoards'> | null,
  { client, seesLeagues }: Pick<VerifiedToken, 'client' | 'seesLeagues'>,
  challenge: Challenge,
): Caller {
  if (record === null) throw challenge('account_unknown', 'The operator of this token does not exist.');
  const hidden = record.offBoards.includes('hidden');
  const usesOfficialClient = isOfficialClient(client);
  const erases = client === OPERATOR_COMMANDS_CLIENT;
  const rights = { usesOfficialClient, erases, seesLeagues: usesOfficialClient || seesLeagues };
  return { subject, operator, codename: record.codename, hidden, plan, ...rights };
}

/** The bearer token; null without a header, empty when the header carries none. */
function readBearer(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization === '') return null;
  if (authorization.length > MAX_TOKEN_LENGTH) return '';
  return BEARER.exec(authorization)?.[1] ?? '';
}
