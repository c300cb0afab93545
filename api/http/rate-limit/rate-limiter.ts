import { MS_PER_SECOND } from '../../../config/units.ts';
import type { Clock } from '../../../engine/ranking/index.ts';
import { FixedWindow } from './fixed-window.ts';
import type { RatePolicy, RatePolicyName } from './rate-policy.ts';

/** Distinct clients that one limiter counts by themselves, in about 60 MB. */
const TRACKED_CLIENTS = 250_000;

/** Whether a client's request is allowed, and its quota after it. */
export class RateDecision {
  readonly policy: RatePolicy;
  readonly allowed: boolean;
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
  readonly #stated: FixedWindow['stated'];

  constructor({ policy, stated, window }: FixedWindow, left: number, allowed: boolean, now: number) {
    this.policy = policy;
    this.#stated = stated;
    this.allowed = allowed;
    this.remaining = Math.max(0, left);
    this.resetSeconds = Math.max(1, Math.ceil(((window + 1) * policy.windowMs - now) / MS_PER_SECOND));
  }

  /** The quota for the client: structured fields (draft-ietf-httpapi-ratelimit-headers), and the plain ones of the contract. */
  get headers(): Record<string, string> {
    return {
      'RateLimit-Policy': this.#stated.policy,
      RateLimit: `${this.#stated.name};r=${this.remaining};t=${this.resetSeconds}`,
      'RateLimit-Limit': this.#stated.quota,
      'RateLimit-Remaining': String(this.remaining),
      'RateLimit-Reset': String(this.resetSeconds),
    };
  }

  /** The same as a flat list, as `writeHead` takes it: names and values alternate. */
  get list(): string[] {
    const { headers } = this;
    const list: string[] = [];
    for (const name in headers) list.push(name, headers[name]!);
    return list;
  }
}

/** Counts requests in this process's memory, without waiting. */
export type RateLimiter<N extends string = RatePolicyName> = ReturnType<typeof createRateLimiter<N>>;

export function createRateLimiter<N extends string>(
  policies: Readonly<Record<N, RatePolicy>>,
  clock: Clock,
  exact = TRACKED_CLIENTS,
) {
  const room = { exact, taken: 0 };
  const named = Object.entries<RatePolicy>(policies).map(
    ([name, policy]) => [name, new FixedWindow(policy, room)] as const,
  );
  const windows: ReadonlyMap<string, FixedWindow> = new Map(named);
  return {
    /** Counts one request of a client under a policy, unless its quota is used up. */
    take(this: void, name: N, key: string): RateDecision {
      const [window, now] = [windows.get(name)!, clock()];
      const left = window.left(key, now, true);
      return new RateDecision(window, left, left >= 0, now);
    },
    /** As `take`, counting nothing. */
    peek(this: void, name: N, key: string): RateDecision {
      const [window, now] = [windows.get(name)!, clock()];
      const left = window.left(key, now, false);
      return new RateDecision(window, left, left > 0, now);
    },
    /** The counters by policy, for the task that shares them with other processes. */
    windows,
  };
}
