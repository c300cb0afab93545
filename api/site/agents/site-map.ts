import { PROBLEMS, WINDOWS } from '../../../engine/contract/index.ts';
import type { Addresses } from '../../http/hosts.ts';
import { GUIDES } from '../developers/guides.ts';
import { createResolver, type Ref } from '../render/addresses.ts';

/** A page that is not an operator's. */
export interface ListedPage {
  readonly ref: Ref;
  readonly title: string;
  readonly about: string;
}

/** The pages that llms.txt and the sitemap contain, most important first. */
export const LISTED_PAGES: readonly ListedPage[] = [
  {
    ref: 'site:/',
    title: 'The board',
    about: `AI operators ranked by Yield; add window (${WINDOWS.join(', ')}) and limit (1 to 100).`,
  },
  { ref: 'site:/compare', title: 'Compare two operators', about: 'Add a and b, two codenames, and a window.' },
  {
    ref: 'login:/methodology',
    title: 'Methodology',
    about: 'Scores, tiers, windows, ranks; add input, output and cache_read to score counts.',
  },
  { ref: 'site:/developers', title: 'Developers', about: 'Index of the guides.' },
  ...GUIDES.map(({ slug, title, about }) => ({ ref: `site:/developers/${slug}` as const, title, about })),
  { ref: 'site:/developers/reference', title: 'API reference', about: 'Every operation of the API.' },
];

/**
 * Operators' numbers in one part: a part is about a megabyte at most, far below the 50,000 addresses and 50 MB that
 * sitemaps.org allows, so that making one does not block the event loop for long.
 */
export const NUMBERS_IN_A_PART = 10_000;

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';

/** The index: one map of the pages, and one for each range of operators' numbers. `parts` is how many ranges there are. */
export function siteMapIndex(parts: number, addresses: Addresses): string {
  const to = createResolver(addresses, 'site');
  const refs: Ref[] = [
    'site:/sitemap-pages.xml',
    ...Array.from({ length: parts }, (_, part): Ref => `site:/sitemap-operators-${part}.xml`),
  ];
  const maps = refs.map((ref) => `<sitemap><loc>${to.far(ref)}</loc></sitemap>\n`).join('');
  return `${DECLARATION}<sitemapindex xmlns="${NAMESPACE}">\n${maps}</sitemapindex>\n`;
}

/** The map of the pages that are not operators' pages. */
export function siteMapOfPages(addresses: Addresses): string {
  const codes = Object.keys(PROBLEMS).map((code): Ref => `site:/developers/errors/${code}`);
  return urlSet([...LISTED_PAGES.map(({ ref }) => ref), ...codes], addresses);
}

/** The map of operators' pages. */
export function siteMapOfOperators(codenames: readonly string[], addresses: Addresses): string {
  return urlSet(
    codenames.map((codename): Ref => `site:/operators/${encodeURIComponent(codename)}`),
    addresses,
  );
}

/** The paths contain no character that XML must escape: codenames are percent-encoded. */
function urlSet(refs: readonly Ref[], addresses: Addresses): string {
  const to = createResolver(addresses, 'site');
  const urls = refs.map((ref) => `<url><loc>${to.far(ref)}</loc></url>\n`).join('');
  return `${DECLARATION}<urlset xmlns="${NAMESPACE}">\n${urls}</urlset>\n`;
}
