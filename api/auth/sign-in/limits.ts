import { HOUR_MS, MINUTE_MS } from '../../../config/units.ts';
import type { ApiContext } from '../../context/api-context.ts';
import { createRateLimiter } from '../../http/rate-limit/rate-limiter.ts';
import { shareCounts } from '../../http/rate-limit/share-counts.ts';

/** Clients counted by themselves. */
const TRACKED_CLIENTS = 50_000;

/** Quotas per client address. */
export const SIGN_IN_QUOTAS = {
  /** Reads of pages and metadata. */
  pages: { name: 'pages', quota: 240, windowMs: MINUTE_MS },
  /** Sign-in forms, and returns from upstreams. */
  sign_in: { name: 'sign_in', quota: 30, windowMs: MINUTE_MS },
  /** Requested mails. */
  mail: { name: 'mail', quota: 10, windowMs: HOUR_MS },
  /** Account exports: each reads an operator's whole log. */
  export: { name: 'export', quota: 10, windowMs: HOUR_MS },
  /** Requests of clients to the authorization server. A waiting device polls every five seconds. */
  token: { name: 'token', quota: 120, windowMs: MINUTE_MS },
  /** Entered device codes, which bounds guessing: there are 20^8 codes. */
  device: { name: 'device', quota: 20, windowMs: 10 * MINUTE_MS },
  /** Client registrations. */
  registration: { name: 'registration', quota: 20, windowMs: HOUR_MS },
} as const;

export type SignInQuota = keyof typeof SIGN_IN_QUOTAS;

/**
 * Mails to one address that one client address, or one browser that signed in with it before, can request in an hour. Requests by
 * others do not count, because a stranger could then lock the owner out.
 */
export const MAIL_QUOTA = { max: 5, periodMs: HOUR_MS } as const;

/** Counts sign-in requests per client, shared with the other processes. */
export function createSignInLimits({
  config,
  redis,
  clock,
  log,
}: Pick<ApiContext, 'config' | 'redis' | 'clock' | 'log'>) {
  const { windows, ...limiter } = createRateLimiter(SIGN_IN_QUOTAS, clock, TRACKED_CLIENTS);
  const prefix = `${config.redisPrefix}:sign-in`;
  const onError = (error: unknown): void => log.warn({ err: error }, 'could not share sign-in request counts');
  const sharing = shareCounts({ windows, redis, clock, prefix, onError });
  return { ...limiter, close: () => sharing.stop() };
}
