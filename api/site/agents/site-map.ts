import { PROBLEMS } from '../../../engine/contract/index.ts';
import type { BoardView } from '../../../engine/ranking/index.ts';
import type { Addresses } from '../../services.ts';
import { GUIDES } from '../developers/guides.ts';
import { createResolver, type Ref } from '../render/addresses.ts';
import { html } from '../render/html.ts';

/** A page that no operator has: where it is, and what is there. */
export interface ListedPage {
  readonly ref: Ref;
  readonly title: string;
  readonly about: string;
}

/** The pages for people and models to read, in the order of their weight. */
export const LISTED_PAGES: readonly ListedPage[] = [
  {
    ref: 'site:/',
    title: 'The board',
    about: 'AI operators ranked by Yield; add window (all_time, 7d, 30d, 90d) and limit (1 to 100).',
  },
  { ref: 'site:/compare', title: 'Compare two operators', about: 'Add a and b, two codenames.' },
  {
    ref: 'login:/methodology',
    title: 'Methodology',
    about: 'Scores, tiers, windows, ranks; add input, output and cache_read to score counts.',
  },
  { ref: 'site:/developers', title: 'Developers', about: 'Entrance to the guides.' },
  ...GUIDES.map(({ slug, title, about }) => ({ ref: `site:/developers/${slug}` as const, title, about })),
  { ref: 'site:/developers/reference', title: 'API reference', about: 'Every operation, from the API description.' },
];

/** The addresses that a crawler should know: all pages, and the operators at the top of any window. */
export function siteMap(view: BoardView, addresses: Addresses): string {
  const to = createResolver(addresses, 'site');
  const operators = new Set(Object.values(view.tops).flatMap((entries) => entries.map(({ codename }) => codename)));
  const refs: Ref[] = [
    ...LISTED_PAGES.map(({ ref }) => ref),
    ...Object.keys(PROBLEMS).map((code): Ref => `site:/developers/errors/${code}`),
    ...[...operators].map((codename): Ref => `site:/operators/${encodeURIComponent(codename)}`),
  ];
  const changed = new Date(view.generatedAt).toISOString();
  const urls = refs.map(
    (ref) => html`<url><loc>${to.far(ref)}</loc>${isOfBoard(ref) ? html`<lastmod>${changed}</lastmod>` : ''}</url>\n`,
  );
  return String(html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls}</urlset>
`);
}

function isOfBoard(ref: Ref): boolean {
  return ref === 'site:/' || ref.startsWith('site:/operators/');
}
