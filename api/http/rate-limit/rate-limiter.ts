import type { Clock } from '../../../engine/ranking/index.ts';
import { FixedWindow, type RateState } from './fixed-window.ts';
import { rateHeaders } from './rate-headers.ts';
import type { RatePolicies, RatePolicy, RatePolicyName } from './rate-policy.ts';

/** The answer to "may this client go on?", and where it stands. */
export interface RateDecision extends RateState {
  readonly policy: RatePolicy;
  /** The headers that tell the client where it stands. */
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

/** A decision whose headers are written only when they are asked for. */
class Decision implements RateDecision {
  readonly policy: RatePolicy;
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetSeconds: number;

  constructor(policy: RatePolicy, { allowed, remaining, resetSeconds }: RateState) {
    this.policy = policy;
    this.allowed = allowed;
    this.remaining = remaining;
    this.resetSeconds = resetSeconds;
  }

  get headers(): Record<string, string> {
    return rateHeaders(this.policy, this);
  }
}

/** Makes a limiter that remembers at most `maxKeys` clients a policy. */
export function createRateLimiter(policies: RatePolicies, maxKeys: number, clock: Clock): RateLimiter {
  const windows: Readonly<Record<RatePolicyName, FixedWindow>> = {
    public: new FixedWindow(policies.public, maxKeys),
    snapshots: new FixedWindow(policies.snapshots, maxKeys),
    snapshotsDay: new FixedWindow(policies.snapshotsDay, maxKeys),
    operator: new FixedWindow(policies.operator, maxKeys),
    webhooks: new FixedWindow(policies.webhooks, maxKeys),
    failures: new FixedWindow(policies.failures, maxKeys),
  };
  const decide = (name: RatePolicyName, key: string, count: boolean): RateDecision => {
    const window = windows[name];
    const now = clock();
    const state = count ? window.take(key, now) : window.peek(key, now);
    return new Decision(window.policy, state);
  };
  return {
    take: (name, key) => decide(name, key, true),
    peek: (name, key) => decide(name, key, false),
    windows: Object.values(windows),
  };
}
