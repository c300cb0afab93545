import { WINDOW_COUNT } from './keys.ts';
import type { Segment } from './segment.ts';

/** A full table grows by this share of its operators plus MIN_GROWTH. Growing copies the table. */
const GROWTH_SHARE = 1 / 8;
const MIN_GROWTH = 1_024;

/** The published Yields of all operators (WINDOW_COUNT per operator, NaN = unranked): 32 bytes each. Grows on demand. */
export class YieldTable {
  #yields: Float64Array;
  #slots: number;

  /** Takes ownership of `yields`: the caller must not use it afterwards. */
  constructor(yields: Float64Array) {
    this.#yields = yields;
    this.#slots = yields.length / WINDOW_COUNT;
  }

  /** An operator's Yields by window: a view that is valid until the next `apply`. */
  of(operator: number): Float64Array {
    if (operator >= this.#slots) return UNRANKED;
    return this.#yields.subarray(operator * WINDOW_COUNT, (operator + 1) * WINDOW_COUNT);
  }

  apply({ operators, after }: Segment): void {
    const last = operators.at(-1);
    if (last === undefined) return;
    this.#growTo(last + 1);
    const yields = this.#yields;
    for (let index = 0; index < operators.length; index++) {
      const from = index * WINDOW_COUNT;
      const to = operators[index]! * WINDOW_COUNT;
      for (let window = 0; window < WINDOW_COUNT; window++) yields[to + window] = after[from + window]!;
    }
  }

  /** The table in the form of `buildBaseRun`. Shares memory with this object. */
  toArray(): Float64Array {
    return this.#yields.subarray(0, this.#slots * WINDOW_COUNT);
  }

  #growTo(slots: number): void {
    if (slots * WINDOW_COUNT > this.#yields.length) {
      const room = Math.max(slots, this.#slots + Math.ceil(this.#slots * GROWTH_SHARE) + MIN_GROWTH);
      const grown = new Float64Array(room * WINDOW_COUNT);
      grown.set(this.#yields);
      this.#yields = grown.fill(Number.NaN, this.#slots * WINDOW_COUNT);
    }
    this.#slots = Math.max(this.#slots, slots);
  }
}

const UNRANKED = new Float64Array(WINDOW_COUNT).fill(Number.NaN);
