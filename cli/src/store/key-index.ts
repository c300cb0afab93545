import type { KeyHash } from './hash-key.ts';

const FIRST_CAPACITY = 1024;

/** Slots per key: the load factor is at most one half. */
const SLOTS_PER_KEY = 2;

/** The stored part of an index: key n has the hash (highs[n], lows[n]) and belongs to row rows[n]. */
export interface KeyColumns {
  readonly highs: Uint32Array;
  readonly lows: Uint32Array;
  readonly rows: Int32Array;
}

/**
 * From the hash of a key to a row number: open addressing over typed arrays, about 20 bytes per key. The slots are built at
 * the first lookup, so that loading and storing an index does not need them.
 */
export class KeyIndex {
  #count = 0;
  #highs: Uint32Array = new Uint32Array(0);
  #lows: Uint32Array = new Uint32Array(0);
  #rows: Int32Array = new Int32Array(0);
  /** Key number plus one; 0: free. The length is a power of two. */
  #slots: Int32Array | null = null;

  /** The row of a key, or -1. */
  get(hash: KeyHash): number {
    const slots = this.#openSlots();
    const key = slots[this.#find(slots, hash)]!;
    return key === 0 ? -1 : this.#rows[key - 1]!;
  }

  /** Adds a key, which must not be present. */
  add(hash: KeyHash, row: number): void {
    if (this.#count === this.#rows.length) this.reserve(Math.max(FIRST_CAPACITY, this.#rows.length * 2));
    const slots = this.#openSlots();
    const key = this.#count;
    this.#highs[key] = hash.high;
    this.#lows[key] = hash.low;
    this.#rows[key] = row;
    slots[this.#find(slots, hash)] = key + 1;
    this.#count += 1;
  }

  columns(): KeyColumns {
    return {
      highs: this.#highs.subarray(0, this.#count),
      lows: this.#lows.subarray(0, this.#count),
      rows: this.#rows.subarray(0, this.#count),
    };
  }

  /** An index over stored columns, without copying them. */
  static of(columns: KeyColumns): KeyIndex {
    const index = new KeyIndex();
    index.#highs = columns.highs;
    index.#lows = columns.lows;
    index.#rows = columns.rows;
    index.#count = columns.rows.length;
    return index;
  }

  /** The slot of this hash, or the free slot for it. */
  #find(slots: Int32Array, { high, low }: KeyHash): number {
    const mask = slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const key = slots[slot]!;
      if (key === 0 || (this.#lows[key - 1] === low && this.#highs[key - 1] === high)) return slot;
    }
  }

  #openSlots(): Int32Array {
    if (this.#slots !== null) return this.#slots;
    const capacity = Math.max(FIRST_CAPACITY, this.#rows.length);
    const slots = new Int32Array(2 ** Math.ceil(Math.log2(capacity * SLOTS_PER_KEY)));
    for (let key = 0; key < this.#count; key += 1) {
      slots[this.#find(slots, { high: this.#highs[key]!, low: this.#lows[key]! })] = key + 1;
    }
    this.#slots = slots;
    return slots;
  }

  /** Grows to a capacity, in keys. */
  reserve(capacity: number): void {
    if (capacity <= this.#rows.length) return;
    const { highs, lows, rows } = this.columns();
    this.#highs = new Uint32Array(capacity);
    this.#lows = new Uint32Array(capacity);
    this.#rows = new Int32Array(capacity);
    this.#highs.set(highs);
    this.#lows.set(lows);
    this.#rows.set(rows);
    this.#slots = null;
  }
}
