import { MINUTE_MS } from '../../../config/units.ts';
import type { ClientTable } from './client-table.ts';
import type { RatePolicy } from './rate-policy.ts';

/** The longest window whose counts may be forgotten when a process stops. */
const MAX_FORGETTABLE_MS = MINUTE_MS;

/** Clients whose requests wait to be handed out; those of more clients wait for a later request of theirs. */
const MAX_DUE = 100_000;

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
 * Counts requests by client under a policy in windows that all processes share: window n covers the milliseconds
 * [n × windowMs, (n + 1) × windowMs). Only the current window is kept.
 *
 * A client far from its quota needs no message between processes: of `processes` = n > 1, each hands out the requests of a client, and
 * learns of those that others handed out, when it has counted quota / 2n that it has not handed out. All together admit at most
 * quota + n × (quota / 2n - 1 + r), where a process gets at most r requests of the client between two exchanges: half a quota
 * more, and what the client sends in about a second; in no case more than n × quota. In windows longer than a minute, every
 * request is handed out, because a restart would forget it.
 */
export class FixedWindow {
  readonly policy: RatePolicy;
  readonly #table: ClientTable;
  readonly #index: number;
  readonly #due = new Set<string>();
  #window = Number.NaN;
  /** Requests of a client that were not handed out, above which they are. */
  #step: number;

  /** `index` distinguishes the policies of one table. */
  constructor(policy: RatePolicy, table: ClientTable, index: number) {
    this.policy = policy;
    this.#table = table;
    this.#index = index;
    this.#step = stepOf(policy, 1);
  }

  /** The number of the window being counted. */
  get window(): number {
    return this.#window;
  }

  /** How many processes share their counts. */
  set processes(count: number) {
    this.#step = stepOf(this.policy, count);
  }

  /** Counts one request at `now`, unless the quota is used up. */
  take(key: string, now: number): RateState {
    this.#advance(now);
    const table = this.#table;
    let [counted, slot] = [key, table.find(this.#index, key)];
    if (slot < 0) {
      counted = table.keyToCount(key);
      slot = table.claim(this.#index, counted);
    }
    const allowed = table.used(slot) < this.policy.quota;
    if (allowed && table.count(slot) >= this.#step && this.#due.size < MAX_DUE) this.#due.add(counted);
    return this.#state(table.used(slot), allowed, now);
  }

  /** The state of a client at `now`, without counting a request. */
  peek(key: string, now: number): RateState {
    this.#advance(now);
    const own = this.#table.find(this.#index, key);
    const slot = own < 0 ? this.#table.find(this.#index, this.#table.keyToCount(key)) : own;
    const used = slot < 0 ? 0 : this.#table.used(slot);
    return this.#state(used, used < this.policy.quota, now);
  }

  /** Increments that are due; they count as pushed from here on. */
  takeIncrements(now: number): Increment[] {
    this.#advance(now);
    const increments: Increment[] = [];
    for (const key of this.#due) {
      const slot = this.#table.find(this.#index, key);
      const by = slot < 0 ? 0 : this.#table.takeUnshared(slot);
      if (by > 0) increments.push({ key, by });
    }
    this.#due.clear();
    return increments;
  }

  /** Restores increments whose push failed, so that the next exchange pushes them. */
  returnIncrements(window: number, increments: readonly Increment[]): void {
    if (window !== this.#window) return;
    for (const { key, by } of increments) {
      const slot = this.#table.find(this.#index, key);
      if (slot >= 0) this.#table.returnUnshared(slot, by);
      this.#due.add(key);
    }
  }

  /** Records the sum over all processes in a window, which includes the increments that this process already pushed. */
  recordTotal(window: number, key: string, total: number): void {
    const slot = window === this.#window ? this.#table.find(this.#index, key) : -1;
    if (slot >= 0) this.#table.recordTotal(slot, total);
  }

  #advance(now: number): void {
    const window = Math.floor(now / this.policy.windowMs);
    if (window === this.#window) return;
    this.#window = window;
    this.#due.clear();
    this.#table.advance(window);
  }

  #state(used: number, allowed: boolean, now: number): RateState {
    const endsAt = (this.#window + 1) * this.policy.windowMs;
    return {
      allowed,
      remaining: Math.max(0, this.policy.quota - used),
      resetSeconds: Math.max(1, Math.ceil((endsAt - now) / 1000)),
    };
  }
}

function stepOf({ quota, windowMs }: RatePolicy, processes: number): number {
  if (windowMs > MAX_FORGETTABLE_MS) return 1;
  return processes === 1 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(quota / (2 * processes)));
}
