import { negotiate } from './negotiate.ts';

/** The forms in which a page can be asked for; the first is for those who take either. */
export const PAGE_FORMS = [
  ['html', 'text/html'],
  ['markdown', 'text/markdown'],
] as const;

export type PageForm = (typeof PAGE_FORMS)[number][0];

/** Accept values that are remembered with what they chose; browsers have few, and nobody can fill more than this. */
const REMEMBERED_VALUES = 256;

/** Characters of the longest Accept value that is remembered. */
const MAX_VALUE_LENGTH = 256;

/**
 * Chooses the form of a page by Accept, as the pages themselves do; null when none is accepted. An Accept value that is not
 * cached yet is parsed only when `mayRead` is true.
 */
export function createFormChoice(): (accept: string | undefined, mayRead: () => boolean) => PageForm | null {
  const chosen = new Map<string, PageForm | null>();
  return (accept = '*/*', mayRead) => {
    const known = chosen.get(accept);
    if (known !== undefined) return known;
    if (!mayRead()) return null;
    const form = negotiate<PageForm>(accept, PAGE_FORMS);
    if (accept.length <= MAX_VALUE_LENGTH) {
      if (chosen.size >= REMEMBERED_VALUES) chosen.clear();
      chosen.set(accept, form);
    }
    return form;
  };
}

/** The form that a page's media type is of; null when it is no page's. */
export function pageFormOf(mediaType: string): PageForm | null {
  return PAGE_FORMS.find(([, type]) => mediaType.startsWith(type))?.[0] ?? null;
}

/** Under what a page in one form is kept: targets have no spaces, so no other answer is kept there. */
export function pageKey(target: string, form: PageForm): string {
  return `${target} ${form}`;
}
