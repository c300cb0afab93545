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

/** The form of a page with this media type; null for other media types. */
export function pageFormOf(mediaType: string): PageForm | null {
  return PAGE_FORMS.find(([, type]) => mediaType.startsWith(type))?.[0] ?? null;
}
