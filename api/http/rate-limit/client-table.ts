import { randomFillSync } from 'node:crypto';

/** Words of a slot: 32 bits of the hash, 24 more bits of it above the generation, `used` and `unshared`. */
const WORDS = 4;
const [TAG, USED, UNSHARED] = [1, 2, 3] as const;
const GENERATION_MASK = 0xff;

/** Slots of a new table. It doubles while more than half of them are taken. */
const FIRST_SLOTS = 2 ** 12;

/** The share of all slots that clients take before new ones share counts; runs of taken slots are shorter than 256 then. */
const MAX_LOAD = 0.625;
const MAX_PROBES = 256;

/** Counters of one row of the sketch. */
const SKETCH_WIDTH = 2 ** 16;
const SKETCH_MASK = SKETCH_WIDTH - 1;

/** Characters of a key whose places the hash tells apart, and codes of characters; one more row is for the salt. */
const PLACES = 64;
const CODES = 128;
const RANDOM_WORDS = randomFillSync(new Int32Array((PLACES + 1) * CODES * 2));

/**
 * Parts of addresses whose clients share a count when slots are short, with the number of groups in them. A prefix is full when its
 * clients times `weight` reach the free slots: a /24 or a /48 of which every client came is full at the same time.
 */
const PREFIXES = [
  { name: '/48', separator: ':', groups: 3, weight: 4, salt: CODES - 1 },
  { name: '/32', separator: ':', groups: 2, weight: 1, salt: CODES - 2 },
  { name: '/24', separator: '.', groups: 3, weight: 1_024, salt: CODES - 3 },
] as const;

/** The hash that was made last; an object for each would be garbage of each request. */
let low = 0;
let high = 0;

/**
 * Hashes the first characters of an ASCII key by simple tabulation: each character selects a random word by its place. Linear
 * probing takes constant time with it (Pătraşcu and Thorup, The Power of Simple Tabulation Hashing, 2011). The words are drawn
 * when the process starts, so that clients cannot choose addresses that collide.
 */
function hash(key: string, length: number, salt: number): void {
  let at = (PLACES * CODES + salt) * 2;
  low = RANDOM_WORDS[at]!;
  high = RANDOM_WORDS[at + 1]!;
  for (let place = 0; place < length; place++) {
    at = ((place % PLACES) * CODES + (key.charCodeAt(place) % CODES)) * 2;
    low ^= RANDOM_WORDS[at]!;
    high ^= RANDOM_WORDS[at + 1]!;
  }
}

/**
 * Requests by client in the current window of policies whose windows have one length: a hash table with linear probing, 16 bytes a
 * slot, that grows to at most twice `maxClients` slots, rounded up to a power of two. Each window begins a generation; slots of
 * former generations are free, so nothing is swept.
 *
 * Up to `maxClients` are counted exactly. (Clients with equal hashes share a count: of a million clients, two in one of a hundred
 * thousand windows.) More clients are counted exactly, too, except new ones of the fullest prefixes, who share the count of their
 * IPv6 /48, or else of their /32, or of their IPv4 /24. Clients for whom no slot is found share one count per policy.
 */
export class ClientTable {
  readonly #maxClients: number;
  readonly #maxSlots: number;
  #slots: number;
  #words: Int32Array;
  /** A count-min sketch of two rows: clients by prefix, once the table has its full size. */
  #sketch: Uint32Array | null = null;
  #window = Number.NaN;
  #generation = 0;
  #clients = 0;

  constructor(maxClients: number) {
    this.#maxClients = maxClients;
    this.#maxSlots = 2 ** Math.ceil(Math.log2(maxClients * 2));
    this.#slots = Math.min(FIRST_SLOTS, this.#maxSlots);
    this.#words = this.#allocate();
  }

  /** Begins a window unless it is the current one. */
  advance(window: number): void {
    if (window === this.#window) return;
    this.#window = window;
    if (this.#clients > 0) this.#sketch?.fill(0);
    this.#clients = 0;
    this.#generation = (this.#generation + 1) & GENERATION_MASK;
    if (this.#generation > 0) return;
    this.#generation = 1;
    this.#words.fill(0);
  }

  /** The slot of a key; -1 when it has none. */
  find(policy: number, key: string): number {
    hash(key, key.length, policy);
    const slot = this.#probe();
    return slot >= 0 && this.#isTaken(slot) ? slot : -1;
  }

  /** The slot of a key, which gets a free one if it has none. */
  claim(policy: number, key: string): number {
    if (this.#clients * 2 > this.#slots && this.#slots < this.#maxSlots) this.#grow();
    hash(key, key.length, policy);
    const probed = this.#probe();
    const slot = probed < 0 ? (this.#slots + policy) * WORDS : probed;
    if (this.#isTaken(slot)) return slot;
    this.#words[slot] = high;
    this.#words[slot + TAG] = this.#tag();
    this.#words[slot + USED] = 0;
    this.#words[slot + UNSHARED] = 0;
    this.#clients += 1;
    if (this.#sketch !== null) countPrefixes(this.#sketch, key);
    return slot;
  }

  /** The key by which a client without a slot is counted: its own or, when slots are short, that of a full prefix. */
  keyToCount(key: string): string {
    if (this.#sketch === null || this.#clients < this.#maxClients) return key;
    const free = this.#slots * MAX_LOAD - this.#clients;
    for (const { name, separator, groups, weight, salt } of PREFIXES) {
      const length = lengthOf(key, separator, groups);
      if (length < 0) continue;
      hash(key, length, salt);
      const clients = Math.min(this.#sketch[low & SKETCH_MASK]!, this.#sketch[SKETCH_WIDTH + (high & SKETCH_MASK)]!);
      if (clients * weight >= free) return key.slice(0, length) + name;
    }
    return key;
  }

  /** Requests of a client, as far as this process knows. */
  used(slot: number): number {
    return this.#words[slot + USED]!;
  }

  /** Counts a request; returns how many were not handed out. */
  count(slot: number): number {
    this.#words[slot + USED]! += 1;
    this.#words[slot + UNSHARED]! += 1;
    return this.#words[slot + UNSHARED]!;
  }

  /** Hands out the requests that were not, so that other processes learn of them. */
  takeUnshared(slot: number): number {
    const unshared = this.#words[slot + UNSHARED]!;
    this.#words[slot + UNSHARED] = 0;
    return unshared;
  }

  /** Takes back requests of which other processes did not learn. */
  returnUnshared(slot: number, count: number): void {
    this.#words[slot + UNSHARED]! += count;
  }

  /** Records how many requests all processes handed out. A Redis that lost its data makes no count smaller. */
  recordTotal(slot: number, total: number): void {
    this.#words[slot + USED] = Math.max(this.#words[slot + USED]!, total + this.#words[slot + UNSHARED]!);
  }

  /** The slot of the last hash, or the free one that it would get; -1 when there is neither. */
  #probe(): number {
    const words = this.#words;
    const tag = this.#tag();
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const slot = ((high + probe) & (this.#slots - 1)) * WORDS;
      if ((words[slot] === high && words[slot + TAG] === tag) || !this.#isTaken(slot)) return slot;
    }
    return -1;
  }

  #grow(): void {
    const former = this.#words;
    this.#slots *= 2;
    this.#words = this.#allocate();
    for (let from = 0; from < former.length; from += WORDS) {
      high = former[from]!;
      low = former[from + TAG]!;
      if ((low & GENERATION_MASK) !== this.#generation) continue;
      const to = this.#probe();
      for (let word = 0; word < WORDS; word++) this.#words[to + word] = former[from + word]!;
    }
  }

  #allocate(): Int32Array {
    if (this.#slots === this.#maxSlots) this.#sketch = new Uint32Array(SKETCH_WIDTH * 2);
    // Behind the slots of clients are those of policies, for clients who find no slot.
    return new Int32Array((this.#slots + CODES) * WORDS);
  }

  #tag(): number {
    return (low & ~GENERATION_MASK) | this.#generation;
  }

  #isTaken(slot: number): boolean {
    return (this.#words[slot + TAG]! & GENERATION_MASK) === this.#generation;
  }
}

function countPrefixes(sketch: Uint32Array, key: string): void {
  for (const { separator, groups, salt } of PREFIXES) {
    const length = lengthOf(key, separator, groups);
    if (length < 0) continue;
    hash(key, length, salt);
    sketch[low & SKETCH_MASK]! += 1;
    sketch[SKETCH_WIDTH + (high & SKETCH_MASK)]! += 1;
  }
}

/** The length of the first groups of an address; -1 when it has fewer or none. */
function lengthOf(key: string, separator: string, groups: number): number {
  let end = -1;
  for (let group = 0; group < groups; group++) {
    end = key.indexOf(separator, end + 1);
    if (end < 0) return -1;
  }
  return end;
}
