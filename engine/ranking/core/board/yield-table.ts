import { WINDOW_COUNT } from './keys.ts';
import type { Segment } from './segment.ts';

/** Every operator's published Yields (WINDOW_COUNT an operator, NaN = unranked), 32 bytes each; grows as operators come. */
export class YieldTable {
  #yields: Float64Array;
  #slots: number;

  /** Takes over `yields`, which the caller must not use any more. */
  constructor(yields: Float64Array) {
    this.#yields = yields;
    this.#slots = yields.length / WINDOW_COUNT;
  }

  /** An operator's Yields by window: a view that holds until the next `apply`. */
  of(operator: number): Float64Array {
    if (operator >= this.#slots) return UNRANKED;
    return this.#yields.subarray(operator * WINDOW_COUNT, (operator + 1) * WINDOW_COUNT);
  }

  apply({ operators, after }: Segment): void {
    const last = operators.at(-1);
    if (last === undefined) return;
    this.#growTo(last + 1);
    operators.forEach((operator, index) => {
      this.#yields.set(after.subarray(index * WINDOW_COUNT, (index + 1) * WINDOW_COUNT), operator * WINDOW_COUNT);
    });
  }

  /** The table as `buildBase` takes it. Shares memory with this object. */
  toArray(): Float64Array {
    return this.#yields.subarray(0, this.#slots * WINDOW_COUNT);
  }

  #growTo(slots: number): void {
    if (slots * WINDOW_COUNT > this.#yields.length) {
      const grown = new Float64Array(Math.max(slots, this.#slots * 2) * WINDOW_COUNT).fill(Number.NaN);
      grown.set(this.#yields.subarray(0, this.#slots * WINDOW_COUNT));
      this.#yields = grown;
    }
    this.#slots = Math.max(this.#slots, slots);
  }
}

const UNRANKED = new Float64Array(WINDOW_COUNT).fill(Number.NaN);
