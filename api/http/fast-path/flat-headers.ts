import { rateLimitField } from '../rate-limit/rate-headers.ts';
import type { RateDecision } from '../rate-limit/rate-limiter.ts';

/** The headers of one status, flat as `writeHead` takes them: names and values in turns. */
export interface FlatHeaders {
  readonly list: string[];
  /** Where the values are that report the rest of the quota, in this order. */
  readonly rateLimitAt: number;
  readonly remainingAt: number;
  readonly resetAt: number;
}

export function flatten(headers: Readonly<Record<string, string>>): FlatHeaders {
  const names = Object.keys(headers);
  const valueAt = (name: string): number => names.indexOf(name) * 2 + 1;
  return {
    list: Object.entries(headers).flat(),
    rateLimitAt: valueAt('RateLimit'),
    remainingAt: valueAt('RateLimit-Remaining'),
    resetAt: valueAt('RateLimit-Reset'),
  };
}

/** Writes a client's quota into headers that are about to be sent; the other headers of the quota never change. */
export function writeRate({ list, rateLimitAt, remainingAt, resetAt }: FlatHeaders, rate: RateDecision): void {
  const remaining = String(rate.remaining);
  const reset = String(rate.resetSeconds);
  list[rateLimitAt] = rateLimitField(rate.policy, remaining, reset);
  list[remainingAt] = remaining;
  list[resetAt] = reset;
}
