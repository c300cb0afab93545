import { type ColumnsOf, GrowingColumns } from './columns.ts';

/** The largest share of slots with a key. */
const MAX_LOAD = 0.75;

/** The stored part of an index: key n has the hash (highs[n], lows[n]) and belongs to row rows[n]. */
export const KEY_COLUMNS = { highs: Uint32Array, lows: Uint32Array, rows: Int32Array };

/** A 64-bit hash as two unsigned 32-bit halves. */
export interface KeyHash {
  readonly high: number;
  readonly low: number;
}

/**
 * From the hash of a key to a row number: open addressing over typed arrays, about 20 bytes per key. The slots are built at
 * the first lookup, so that loading and storing an index does not need them.
 */
export class KeyIndex {
  readonly keys: GrowingColumns<typeof KEY_COLUMNS>;
  /** Key number plus one; 0: free. The length is a power of two. */
  #slots = new Int32Array(0);

  constructor(stored?: ColumnsOf<typeof KEY_COLUMNS>) {
    this.keys = new GrowingColumns(KEY_COLUMNS, stored, stored?.rows.length);
  }

  /** The row of a key, or -1. */
  get(hash: KeyHash): number {
    const slots = this.#openSlots();
    const key = slots[this.#find(slots, hash)]!;
    return key === 0 ? -1 : this.keys.cells.rows[key - 1]!;
  }

  /** Adds a key; a key that is present keeps its row. */
  add(hash: KeyHash, row: number): void {
    const slots = this.#openSlots();
    const slot = this.#find(slots, hash);
    if (slots[slot] !== 0) return;
    const key = this.keys.append();
    const { highs, lows, rows } = this.keys.cells;
    highs[key] = hash.high;
    lows[key] = hash.low;
    rows[key] = row;
    slots[slot] = key + 1;
  }

  /** The slot of this hash, or the free slot for it. */
  #find(slots: Int32Array, { high, low }: KeyHash): number {
    const { highs, lows } = this.keys.cells;
    const mask = slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const key = slots[slot]!;
      if (key === 0 || (lows[key - 1] === low && highs[key - 1] === high)) return slot;
    }
  }

  /** The slots, rebuilt when the keys have outgrown them. */
  #openSlots(): Int32Array {
    const { highs, lows } = this.keys.cells;
    const wanted = (this.keys.rows + 1) / MAX_LOAD;
    if (this.#slots.length >= wanted) return this.#slots;
    const slots = new Int32Array(2 ** Math.ceil(Math.log2(wanted)));
    for (let key = 0; key < this.keys.rows; key += 1) {
      slots[this.#find(slots, { high: highs[key]!, low: lows[key]! })] = key + 1;
    }
    this.#slots = slots;
    return slots;
  }
}

/**
 * Hashes a record's key. Two streams of multiply-and-rotate over the UTF-16 code units, finalized as in MurmurHash3. Not
 * resistant to attackers, who could write any counts into the logs anyway: among a million keys of one machine, the
 * probability of a collision is below one in ten million.
 */
export function hashKey(text: string): KeyHash {
  let high = 0x9e3779b9 ^ text.length;
  let low = 0x85ebca6b;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 0xcc9e2d51);
    high = (high << 15) | (high >>> 17);
    low = Math.imul(low ^ unit, 0x1b873593);
    low = (low << 13) | (low >>> 19);
  }
  high = mix(high ^ Math.imul(low, 0x9e3779b1));
  low = mix(low ^ Math.imul(high, 0x85ebca77));
  return { high, low };
}

function mix(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
