import { LRUCache } from 'lru-cache';
import type { PageForm } from '../http/page-forms.ts';
import type { Representation } from '../http/representation.ts';

/** Pages kept at once: every guide in both forms, and the boards of a few hundred choices. */
const MAX_PAGES = 400;

/** Bytes of all kept pages, encodings included. */
const MAX_BYTES = 32 * 1024 * 1024;

/** A finished page, and its Link header with the canonical address. */
interface PreparedPage {
  readonly body: Representation;
  readonly link: string;
}

/** Makes an empty store of pages. New pages evict those of former boards. */
export function createPreparedPages() {
  const pages = new LRUCache<string, PreparedPage>({
    max: MAX_PAGES,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ body: { identity, gzip, br } }) => identity.length + (gzip?.length ?? 0) + (br?.length ?? 0),
  });
  return {
    /** The page of a board version, made on first use; `version` is 0 for pages that do not depend on the board. */
    prepared(key: string, version: number, form: PageForm, make: () => PreparedPage): PreparedPage {
      const id = `${version} ${form} ${key}`;
      const known = pages.get(id);
      if (known !== undefined) return known;
      const made = make();
      pages.set(id, made);
      return made;
    },
  };
}
