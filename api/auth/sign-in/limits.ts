import type { Redis } from 'ioredis';
import type { Clock } from '../../../engine/ranking/index.ts';
import { FixedWindow } from '../../http/rate-limit/fixed-window.ts';
import { rateHeaders } from '../../http/rate-limit/rate-headers.ts';
import { type CountSharing, shareCounts } from '../../http/rate-limit/share-counts.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Clients remembered at once for each quota. */
const TRACKED_CLIENTS = 50_000;

/** Requests of one client address by what they do. */
export const SIGN_IN_QUOTAS = {
  /** Pages looked at, and metadata read. */
  pages: { quota: 240, windowMs: MINUTE_MS },
  /** Forms of sign-in sent, and returns from upstreams. */
  sign_in: { quota: 30, windowMs: MINUTE_MS },
  /** Mails asked for. */
  mail: { quota: 10, windowMs: HOUR_MS },
  /** Exports of everything that is kept: each reads an operator's whole log. */
  export: { quota: 10, windowMs: HOUR_MS },
  /** Requests of clients to the authorization server. A waiting device asks every five seconds. */
  token: { quota: 120, windowMs: MINUTE_MS },
  /** Codes of devices typed in: 20^8 of them are there to be guessed. */
  device: { quota: 20, windowMs: 10 * MINUTE_MS },
  /** Clients that register themselves. */
  registration: { quota: 20, windowMs: HOUR_MS },
} as const;

export type SignInQuota = keyof typeof SIGN_IN_QUOTAS;

export type SignInQuotas = Readonly<Record<SignInQuota, { readonly quota: number; readonly windowMs: number }>>;

/**
 * Mails to one address that one client address, or one browser that signed in with it before, can request in an hour.
 * Requests by others do not count: with them a stranger could lock the owner out.
 */
export const MAIL_QUOTA = { max: 5, periodMs: HOUR_MS } as const;

/** Whether a client may go on, and the headers that tell it where it stands. */
export interface SignInRate {
  readonly allowed: boolean;
  readonly resetSeconds: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Counts what clients do at sign-in, together with the other processes. */
export interface SignInLimits {
  take(quota: SignInQuota, client: string): SignInRate;
  close(): Promise<void>;
}

export interface SignInLimitsOptions {
  readonly quotas: SignInQuotas;
  readonly clock: Clock;
  readonly redis: Pick<Redis, 'pipeline'> | null;
  readonly prefix: string;
  readonly onError: (error: unknown) => void;
}

export function createSignInLimits({ quotas, clock, redis, prefix, onError }: SignInLimitsOptions): SignInLimits {
  const windows = new Map(
    Object.entries(quotas).map(([name, quota]) => [name, new FixedWindow({ name, ...quota }, TRACKED_CLIENTS)]),
  );
  const sharing: CountSharing | null =
    redis === null ? null : shareCounts({ windows: [...windows.values()], redis, clock, prefix, onError });
  return {
    take(quota, client) {
      const window = windows.get(quota);
      if (window === undefined) throw new Error(`no quota ${quota}`);
      const state = window.take(client, clock());
      return { allowed: state.allowed, resetSeconds: state.resetSeconds, headers: rateHeaders(window.policy, state) };
    },
    async close() {
      await sharing?.stop();
    },
  };
}
