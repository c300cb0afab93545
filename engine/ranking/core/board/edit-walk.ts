import type { WindowDelta } from './delta.ts';
import { type BoardKeys, isBefore } from './keys.ts';
import { countKeysBefore } from './search.ts';

/** Entries that one layer removes or adds, and the next of them. */
interface Source {
  readonly keys: BoardKeys;
  readonly isAdded: boolean;
  at: number;
}

/** Walks in board order over what the layers of a window together do to its base: of each entry at most one edit is left. */
export class EditWalk {
  readonly #sources: Source[];
  /** The present edit: 1 adds an entry to the base, −1 removes one from it, 0 = there are no more. */
  sign: -1 | 0 | 1 = 0;
  y = 0;
  operator = 0;

  /** Stands at the first edit that does not stand before the key `from`; at the first of all without one. */
  constructor(delta: WindowDelta, from: { readonly y: number; readonly operator: number } | null) {
    const start = (keys: BoardKeys): number => (from === null ? 0 : countKeysBefore(keys, from.y, from.operator));
    this.#sources = delta.flatMap(({ removed, added }) => [
      { keys: removed, isAdded: false, at: start(removed) },
      { keys: added, isAdded: true, at: start(added) },
    ]);
    this.next();
  }

  /** Goes on to the next edit. */
  next(): void {
    for (;;) {
      const first = this.#first();
      if (first === undefined) {
        this.sign = 0;
        return;
      }
      this.y = first.keys.yields[first.at]!;
      this.operator = first.keys.operators[first.at]!;
      const sum = this.#pass();
      if (sum === 0) continue;
      this.sign = sum > 0 ? 1 : -1;
      return;
    }
  }

  /** The source whose next entry stands first; undefined when all are at their end. */
  #first(): Source | undefined {
    let first: Source | undefined;
    for (const source of this.#sources) {
      const { keys, at } = source;
      if (at === keys.yields.length) continue;
      if (first === undefined || isNextBefore(source, first)) first = source;
    }
    return first;
  }

  /** Passes over the present entry in every source: how often it was added less how often it was removed. */
  #pass(): number {
    let sum = 0;
    for (const source of this.#sources) {
      const { keys, at, isAdded } = source;
      if (keys.operators[at] !== this.operator || keys.yields[at] !== this.y) continue;
      source.at++;
      sum += isAdded ? 1 : -1;
    }
    return sum;
  }
}

function isNextBefore(a: Source, b: Source): boolean {
  return isBefore(a.keys.yields[a.at]!, a.keys.operators[a.at]!, b.keys.yields[b.at]!, b.keys.operators[b.at]!);
}
