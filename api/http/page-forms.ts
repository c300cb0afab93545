import { negotiate } from './negotiate.ts';

/** The forms of a page; clients that accept both equally get the first. */
export const PAGE_FORMS = [
  ['html', 'text/html'],
  ['markdown', 'text/markdown'],
] as const;

export type PageForm = (typeof PAGE_FORMS)[number][0];

export type ProblemForm = PageForm | 'json';

const DATA_FORMS = [
  ['json', 'application/problem+json'],
  ['json', 'application/json'],
] as const;

/** The forms of a problem, by what clients get that accept all: pages, or data. */
export const PROBLEM_FORMS: Readonly<
  Record<'page' | 'problem', readonly (readonly [form: ProblemForm, mediaType: string])[]>
> = {
  page: [...PAGE_FORMS, ...DATA_FORMS],
  problem: [...DATA_FORMS, ...PAGE_FORMS],
};

/** Maximum number of cached Accept values; browsers send few different ones. */
const REMEMBERED_VALUES = 256;

/** Characters of the longest Accept value that is cached. */
const MAX_VALUE_LENGTH = 256;

/**
 * Chooses among forms by Accept as `negotiate` does, and caches the choice; null when none is accepted. An Accept value that is
 * not cached yet is parsed only when `mayRead` is true.
 */
export function createFormChoice<F extends string>(
  forms: readonly (readonly [F, string])[],
): (accept: string | undefined, mayRead: () => boolean) => F | null {
  const chosen = new Map<string, F | null>();
  return (accept = '*/*', mayRead) => {
    const known = chosen.get(accept);
    if (known !== undefined) return known;
    if (!mayRead()) return null;
    const form = negotiate(accept, forms);
    if (accept.length <= MAX_VALUE_LENGTH) {
      if (chosen.size >= REMEMBERED_VALUES) chosen.clear();
      chosen.set(accept, form);
    }
    return form;
  };
}

/** The form of a page with this media type; null for other media types. */
export function pageFormOf(mediaType: string): PageForm | null {
  return PAGE_FORMS.find(([, type]) => mediaType.startsWith(type))?.[0] ?? null;
}
