import type { Addresses } from '../../http/hosts.ts';
import { createResolver, type Ref } from '../render/addresses.ts';

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

/** The map of operators' pages. */
export function siteMapOfOperators(codenames: readonly string[], addresses: Addresses): string {
  return urlSet(
    codenames.map((codename): Ref => `site:/operators/${encodeURIComponent(codename)}`),
    addresses,
  );
}

/** A map of addresses. The paths contain no character that XML must escape: codenames are percent-encoded. */
export function urlSet(refs: readonly Ref[], addresses: Addresses): string {
  const to = createResolver(addresses, 'site');
  const urls = refs.map((ref) => `<url><loc>${to.far(ref)}</loc></url>\n`).join('');
  return `${DECLARATION}<urlset xmlns="${NAMESPACE}">\n${urls}</urlset>\n`;
}
