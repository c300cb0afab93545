import { MINUTE_MS, MS_PER_SECOND } from '../../../config/units.ts';
import type { RatePolicy } from './rate-policy.ts';

/** A process shares a client's count when this part of the quota is unshared; in windows above a minute, at once. */
const SHARED_PART = 1 / 8;

/**
 * Networks whose clients share a count when room is short, smallest first, by how addresses in them begin. A network is full
 * when its clients times `weight` reach the free places, which a /24 and a /48 do at the same time.
 */
const NETWORKS = [
  { name: '/48', prefix: /^[^:]*:[^:]*:[^:]*:/, weight: 4 },
  { name: '/32', prefix: /^[^:]*:[^:]*:/, weight: 1 },
  { name: '/24', prefix: /^[^.]*\.[^.]*\.[^.]*\./, weight: 1_024 },
];

/** The place of all clients for whom there is no other. */
const REST = '*';

/** Room for the clients of all windows of a limiter: `exact` are counted by themselves, twice as many are the most. */
export interface Room {
  readonly exact: number;
  taken: number;
}

/** Requests of a client that this process has not shared yet. */
export interface Increment {
  readonly key: string;
  readonly by: number;
}

/**
 * Counts requests by client in windows that all processes share: window n covers the milliseconds
 * [n × windowMs, (n + 1) × windowMs), and only the current one is kept.
 *
 * A client has a separate place, or shares one: while the limiter has room, each new client gets its own; then those of
 * full networks share that of the smallest one; without a free place, all share one. What is counted is first unshared, then due
 * when it reaches an eighth of the quota, then shared. So n processes exceed a quota by at most n eighths of it and what the
 * client sends between two exchanges.
 */
export class FixedWindow {
  readonly policy: RatePolicy;
  /** The parts of the policy as headers state them. */
  readonly stated: Readonly<Record<'name' | 'policy' | 'quota', string>>;
  window = Number.NaN;
  readonly #room: Room;
  readonly #due = new Set<string>();
  #counts = new Map<string, { used: number; unshared: number }>();
  #clientsOf = new Map<string, number>();

  constructor(policy: RatePolicy, room: Room) {
    this.policy = policy;
    const [name, quota] = [`"${policy.name}"`, String(policy.quota)];
    this.stated = { name, quota, policy: `${name};q=${quota};w=${Math.ceil(policy.windowMs / MS_PER_SECOND)}` };
    this.#room = room;
  }

  /** Requests that a client may still make at `now`, of which `count` takes one; -1 when there was none to take. */
  left(key: string, now: number, count: boolean): number {
    this.advance(now);
    const { quota, windowMs } = this.policy;
    const place = this.#placeOf(key);
    if (!count) return Math.max(0, quota - (this.#counts.get(place)?.used ?? 0));
    const counted = this.#counts.get(place) ?? this.#add(place);
    if (counted.used >= quota) return -1;
    counted.used += 1;
    counted.unshared += 1;
    if (counted.unshared >= quota * SHARED_PART || windowMs > MINUTE_MS) this.#due.add(place);
    return quota - counted.used;
  }

  /** What is due; it counts as shared from here on. */
  takeIncrements(): Increment[] {
    const increments = [...this.#due].map((key) => ({ key, by: this.#counts.get(key)!.unshared }));
    for (const key of this.#due) this.#counts.get(key)!.unshared = 0;
    this.#due.clear();
    return increments;
  }

  /** Makes what could not be shared due again. */
  returnIncrements(window: number, increments: readonly Increment[]): void {
    if (window !== this.window) return;
    for (const { key, by } of increments) {
      this.#counts.get(key)!.unshared += by;
      this.#due.add(key);
    }
  }

  /** Records the sum of what all processes shared. A Redis that lost its data makes no count smaller. */
  recordTotal(window: number, key: string, total: number): void {
    const count = window === this.window ? this.#counts.get(key) : undefined;
    if (count !== undefined) count.used = Math.max(count.used, total + count.unshared);
  }

  /** Begins the window of `now`, unless it is the current one. */
  advance(now: number): void {
    const window = Math.floor(now / this.policy.windowMs);
    if (window === this.window) return;
    this.window = window;
    this.#room.taken -= this.#counts.size;
    this.#counts = new Map();
    this.#clientsOf = new Map();
    this.#due.clear();
  }

  #placeOf(key: string): string {
    const { exact, taken } = this.#room;
    if (taken < exact || this.#counts.has(key)) return key;
    const free = exact * 2 - taken;
    const isFull = ({ name, weight }: { name: string; weight: number }): boolean =>
      (this.#clientsOf.get(name) ?? 0) * weight >= Math.max(1, free);
    const place = networksOf(key).find(isFull)?.name ?? key;
    return free > 0 || this.#counts.has(place) ? place : REST;
  }

  #add(place: string): { used: number; unshared: number } {
    const count = { used: 0, unshared: 0 };
    this.#counts.set(place, count);
    this.#room.taken += 1;
    for (const { name } of networksOf(place)) this.#clientsOf.set(name, (this.#clientsOf.get(name) ?? 0) + 1);
    return count;
  }
}

/** The networks of an address, smallest first; none of an operator's number. */
function networksOf(key: string): { readonly name: string; readonly weight: number }[] {
  return NETWORKS.flatMap(({ name, prefix, weight }) => {
    const begin = prefix.exec(key)?.[0];
    return begin === undefined ? [] : [{ name: begin + name, weight }];
  });
}
