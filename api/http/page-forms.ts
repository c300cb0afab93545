/** The forms in which a page can be asked for; the first is for those who take either. */
export const PAGE_FORMS = [
  ['html', 'text/html'],
  ['markdown', 'text/markdown'],
] as const;

export type PageForm = (typeof PAGE_FORMS)[number][0];
