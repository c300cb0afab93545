import type { WindowDelta } from './delta.ts';
import { type BoardKeys, isBefore } from './keys.ts';
import { countKeysBefore } from './search.ts';

/** The entries that one level removes or adds, with a read position. */
interface Source {
  readonly keys: BoardKeys;
  readonly isAdded: boolean;
  at: number;
}

/** Iterates in board order over the net edits of all levels of a window: at most one edit per entry. */
export class EditWalk {
  readonly #sources: Source[];
  /** The current edit: 1 adds an entry to the base run, −1 removes one, 0 = no more edits. */
  sign: -1 | 0 | 1 = 0;
  y = 0;
  operator = 0;

  /** Starts at the first edit not before the key `from`, or at the first edit when `from` is null. */
  constructor(delta: WindowDelta, from: { readonly y: number; readonly operator: number } | null) {
    const start = (keys: BoardKeys): number => (from === null ? 0 : countKeysBefore(keys, from.y, from.operator));
    this.#sources = delta.flatMap(({ removed, added }) => [
      { keys: removed, isAdded: false, at: start(removed) },
      { keys: added, isAdded: true, at: start(added) },
    ]);
    this.next();
  }

  next(): void {
    for (;;) {
      const first = this.#first();
      if (first === undefined) {
        this.sign = 0;
        return;
      }
      this.y = first.keys.yields[first.at]!;
      this.operator = first.keys.operators[first.at]!;
      const sum = this.#consume();
      if (sum === 0) continue;
      this.sign = sum > 0 ? 1 : -1;
      return;
    }
  }

  /** The source with the first next entry; undefined when all are exhausted. */
  #first(): Source | undefined {
    let first: Source | undefined;
    for (const source of this.#sources) {
      const { keys, at } = source;
      if (at === keys.yields.length) continue;
      if (first === undefined || isNextBefore(source, first)) first = source;
    }
    return first;
  }

  /** Consumes the current entry in every source; returns the number of additions minus removals. */
  #consume(): number {
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
