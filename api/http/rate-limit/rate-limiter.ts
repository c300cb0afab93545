import type { Clock } from '../../../engine/ranking/index.ts';
import { FixedWindow, type RateState } from './fixed-window.ts';
import { rateHeaders } from './rate-headers.ts';
import type { RatePolicies, RatePolicy, RatePolicyName } from './rate-policy.ts';

/** Whether a client's request is allowed, and its quota after it. */
export interface RateDecision extends RateState {
  readonly policy: RatePolicy;
  /** The headers that report the quota to the client, created on access. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Counts requests in this process's memory, without waiting. */
export interface RateLimiter {
  /** Counts one request of a client under a policy, unless its quota is used up. */
  take(policy: RatePolicyName, key: string): RateDecision;
  /** As `take`, counting nothing. */
  peek(policy: RatePolicyName, key: string): RateDecision;
  /** The counters, for the task that shares them with other processes. */
  readonly windows: readonly FixedWindow[];
}

/** Creates a limiter that counts at most `maxKeys` clients per policy. */
export function createRateLimiter(policies: RatePolicies, maxKeys: number, clock: Clock): RateLimiter {
  const windows = new Map<string, FixedWindow>(
    Object.entries(policies).map(([name, policy]) => [name, new FixedWindow(policy, maxKeys)]),
  );
  const decide = (name: RatePolicyName, key: string, count: boolean): RateDecision => {
    const window = windows.get(name)!;
    const { policy } = window;
    const state = count ? window.take(key, clock()) : window.peek(key, clock());
    return {
      ...state,
      policy,
      get headers() {
        return rateHeaders(policy, state);
      },
    };
  };
  return {
    take: (name, key) => decide(name, key, true),
    peek: (name, key) => decide(name, key, false),
    windows: [...windows.values()],
  };
}
