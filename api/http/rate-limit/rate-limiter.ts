import type { Clock } from '../../../engine/ranking/index.ts';
import { FixedWindow } from './fixed-window.ts';
import { rateHeaders } from './rate-headers.ts';
import type { RatePolicies, RatePolicyName } from './rate-policy.ts';

/** The answer to "may this client go on?", with the headers that tell it where it stands. */
export interface RateDecision {
  readonly allowed: boolean;
  readonly resetSeconds: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Counts requests in this process's memory. Nothing here waits for anything. */
export interface RateLimiter {
  /** Counts one request of a client under a policy, unless its quota is used up. */
  take(policy: RatePolicyName, key: string): RateDecision;
  /** As `take`, counting nothing. */
  peek(policy: RatePolicyName, key: string): RateDecision;
  /** The counters, for the task that shares them with other processes. */
  readonly windows: readonly FixedWindow[];
}

/** Makes a limiter that remembers at most `maxKeys` clients a policy. */
export function createRateLimiter(policies: RatePolicies, maxKeys: number, clock: Clock): RateLimiter {
  const windows: Readonly<Record<RatePolicyName, FixedWindow>> = {
    public: new FixedWindow(policies.public, maxKeys),
    snapshots: new FixedWindow(policies.snapshots, maxKeys),
    operator: new FixedWindow(policies.operator, maxKeys),
    failures: new FixedWindow(policies.failures, maxKeys),
  };
  const decide = (name: RatePolicyName, key: string, count: boolean): RateDecision => {
    const window = windows[name];
    const now = clock();
    const state = count ? window.take(key, now) : window.peek(key, now);
    return {
      allowed: state.allowed,
      resetSeconds: state.resetSeconds,
      headers: rateHeaders(window.policy, state),
    };
  };
  return {
    take: (name, key) => decide(name, key, true),
    peek: (name, key) => decide(name, key, false),
    windows: Object.values(windows),
  };
}
