import type { Origin } from '../sources/source.ts';

/** The number of the origin of which nothing is known: of counts that earlier versions stored, and of logs that name none. */
export const UNKNOWN_ORIGIN = 0;

/** In place of the session of counts that were imported from a report of another tool: the sums of a day. */
export const IMPORT_SESSION = 'imported';

/** The origins of a store's usages, each once, by number. */
export class Origins {
  readonly list: Origin[];
  readonly #numbers = new Map<string, number>();
  #last = UNKNOWN_ORIGIN;

  constructor(list: readonly Origin[] = [{ model: null, project: null, session: null }]) {
    this.list = [...list];
  }

  /** The number of an origin, which is added if it is new. */
  number(origin: Origin): number {
    // Most records of a file have the origin of the one before.
    const last = this.list[this.#last]!;
    const isLast = origin.session === last.session && origin.model === last.model && origin.project === last.project;
    if (!isLast) this.#last = this.#find(origin);
    return this.#last;
  }

  /** A total order of origins by their texts: it is the same in stores that number them differently. */
  isBefore(one: number, other: number): boolean {
    return one !== other && keyOf(this.list[one]!) < keyOf(this.list[other]!);
  }

  #find(origin: Origin): number {
    if (this.#numbers.size === 0)
      for (const [number, each] of this.list.entries()) this.#numbers.set(keyOf(each), number);
    const key = keyOf(origin);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const { model, project, session } = origin;
    const number = this.list.push({ model, project, session }) - 1;
    this.#numbers.set(key, number);
    return number;
  }
}

function keyOf({ model, project, session }: Origin): string {
  return JSON.stringify([session, project, model]);
}
