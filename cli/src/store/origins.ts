import type { Origin } from '../sources/source.ts';
import { DamagedStoreError } from './schema.ts';
import type { StoredOrigin } from './usage.ts';

/** The origins of a store, each once. */
export class Origins {
  readonly #byText = new Map<string, StoredOrigin>();
  readonly #byId = new Map<number, StoredOrigin>();
  #last: StoredOrigin | undefined;

  enter(id: number, { model, project, session }: Origin): StoredOrigin {
    const entered = { id, model, project, session, text: textOf({ model, project, session }) };
    this.#byText.set(entered.text, entered);
    this.#byId.set(id, entered);
    return entered;
  }

  /** Throws when there is none with this number. */
  get(id: number): StoredOrigin {
    const origin = this.#byId.get(id);
    if (origin === undefined) throw new DamagedStoreError('an origin is missing');
    return origin;
  }

  /** The stored origin; calls `add` where it is new. */
  find(origin: Origin, add: (added: StoredOrigin) => void): StoredOrigin {
    const { model, project, session } = origin;
    // Most records have the origin of the one before.
    const last = this.#last;
    if (last?.session === session && last.model === model && last.project === project) return last;
    let found = this.#byText.get(textOf(origin));
    if (found === undefined) add((found = this.enter(this.#byId.size + 1, origin)));
    this.#last = found;
    return found;
  }
}

function textOf({ model, project, session }: Origin): string {
  return JSON.stringify([session, project, model]);
}
