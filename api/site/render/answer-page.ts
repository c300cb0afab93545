import type { Addresses } from '../../http/hosts.ts';
import { negotiate } from '../../http/negotiate.ts';
import { PAGE_FORMS, type PageForm } from '../../http/page-forms.ts';
import { Problem } from '../../http/problem.ts';
import { type Representation, represent } from '../../http/representation.ts';
import type { ReadyResult } from '../../http/route.ts';
import { createResolver } from './addresses.ts';
import { type Navigation, pageHtml } from './page-html.ts';
import { pageMarkdown } from './page-markdown.ts';
import type { SitePage } from './site-page.ts';

export const PAGE_TYPES: Readonly<Record<PageForm, string>> = {
  html: 'text/html; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
};

/** The form of a page by Accept. Throws Problem not_acceptable. */
export function formFor(accept: string | undefined): PageForm {
  const form = negotiate(accept, PAGE_FORMS);
  if (form === null) throw new Problem('not_acceptable', { headers: { Vary: 'Accept' } });
  return form;
}

/** A page in one form, as bytes in every encoding. */
export function representPage(
  page: SitePage,
  form: PageForm,
  addresses: Addresses,
  navigation: Navigation,
): Representation {
  return represent(pageText(page, form, addresses, navigation), PAGE_TYPES[form], true);
}

/** A page in one form. */
export function pageText(page: SitePage, form: PageForm, addresses: Addresses, navigation: Navigation): string {
  return form === 'html' ? pageHtml(page, addresses, navigation) : pageMarkdown(page, addresses);
}

/** The headers of every page. */
export function pageHeaders(addresses: Addresses): Record<string, string> {
  const origins = new Set([addresses.siteUrl, addresses.loginUrl].map((address) => new URL(address).origin));
  const own = ["'self'", ...origins].join(' ');
  return {
    Vary: 'Accept',
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `img-src ${own}`,
      // The site's scripts send no requests; audit tools that run inside a page request robots.txt.
      "connect-src 'self'",
      `form-action ${own}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  };
}

/** The Link header of a page that has one address. */
export function canonicalLink(page: SitePage, addresses: Addresses): string {
  const address = createResolver(addresses, page.surface).far(page.canonical);
  return `<${address}>; rel="canonical"`;
}

/** The answer with a page; `board` is the board version that was read before the page was made. */
export function pageAnswer(
  body: Representation,
  addresses: Addresses,
  headers: Readonly<Record<string, string>>,
  board?: number,
): ReadyResult {
  return {
    kind: 'ready',
    status: 200,
    body,
    headers: { ...pageHeaders(addresses), ...headers },
    ...(board === undefined ? {} : { board }),
  };
}
