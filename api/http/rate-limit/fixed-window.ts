import type { RatePolicy } from './rate-policy.ts';

/** Requests of one client in the current window. */
interface Usage {
  /** Requests counted by this process. */
  own: number;
  /** Those of `own` that were handed out by `takeIncrements`. */
  shared: number;
  /** Requests counted by other processes, as of the last exchange. */
  others: number;
}

/** The quota of a client after a request. */
export interface RateState {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
}

/** Requests of one client that this process has not pushed yet. */
export interface Increment {
  readonly key: string;
  readonly by: number;
}

/**
 * Counts requests by client in windows that all processes share: window n of a policy covers the milliseconds
 * [n × windowMs, (n + 1) × windowMs). Only the current window is kept, and of it at most `maxKeys` clients, the ones
 * first seen longest ago making room.
 */
export class FixedWindow {
  readonly policy: RatePolicy;
  readonly #maxKeys: number;
  #window = 0;
  #usage = new Map<string, Usage>();

  constructor(policy: RatePolicy, maxKeys: number) {
    this.policy = policy;
    this.#maxKeys = maxKeys;
  }

  /** The number of the window being counted. */
  get window(): number {
    return this.#window;
  }

  /** Counts one request at `now`, unless the quota is used up. */
  take(key: string, now: number): RateState {
    const usage = this.#usageOf(key, now);
    const allowed = usage.own + usage.others < this.policy.quota;
    if (allowed) usage.own += 1;
    return this.#state(usage, allowed, now);
  }

  /** The state of a client at `now`, without counting a request. */
  peek(key: string, now: number): RateState {
    this.#advance(now);
    const usage = this.#usage.get(key) ?? { own: 0, shared: 0, others: 0 };
    return this.#state(usage, usage.own + usage.others < this.policy.quota, now);
  }

  /** Increments that were not pushed yet; they count as pushed from here on. */
  takeIncrements(now: number): Increment[] {
    this.#advance(now);
    const increments: Increment[] = [];
    for (const [key, usage] of this.#usage) {
      if (usage.own > usage.shared) increments.push({ key, by: usage.own - usage.shared });
      usage.shared = usage.own;
    }
    return increments;
  }

  /** Restores increments whose push failed, so that the next exchange pushes them. */
  returnIncrements(window: number, increments: readonly Increment[]): void {
    if (window !== this.#window) return;
    for (const { key, by } of increments) {
      const usage = this.#usage.get(key);
      if (usage !== undefined) usage.shared -= by;
    }
  }

  /** Records the sum over all processes in a window. `total` includes the increments that this process already pushed. */
  recordTotal(window: number, key: string, total: number): void {
    const usage = window === this.#window ? this.#usage.get(key) : undefined;
    if (usage !== undefined) usage.others = Math.max(0, total - usage.shared);
  }

  #usageOf(key: string, now: number): Usage {
    this.#advance(now);
    const known = this.#usage.get(key);
    if (known !== undefined) return known;
    if (this.#usage.size >= this.#maxKeys) this.#dropOldest();
    const usage = { own: 0, shared: 0, others: 0 };
    this.#usage.set(key, usage);
    return usage;
  }

  #advance(now: number): void {
    const window = Math.floor(now / this.policy.windowMs);
    if (window === this.#window) return;
    this.#window = window;
    this.#usage = new Map();
  }

  #dropOldest(): void {
    const oldest = this.#usage.keys().next();
    if (oldest.done !== true) this.#usage.delete(oldest.value);
  }

  #state(usage: Usage, allowed: boolean, now: number): RateState {
    const endsAt = (this.#window + 1) * this.policy.windowMs;
    return {
      allowed,
      remaining: Math.max(0, this.policy.quota - usage.own - usage.others),
      resetSeconds: Math.max(1, Math.ceil((endsAt - now) / 1000)),
    };
  }
}
