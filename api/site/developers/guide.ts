import type { Part } from '../render/parts.ts';
import type { SitePage } from '../render/site-page.ts';

/** A page of the developer portal, at /developers/{slug}. */
export interface Guide {
  readonly slug: string;
  readonly title: string;
  /** One sentence: the subject of the guide. */
  readonly about: string;
  /** The addresses appear in examples that readers type. */
  parts(addresses: { readonly siteUrl: string; readonly baseUrl: string; readonly loginUrl: string }): readonly Part[];
}

export function guidePage(guide: Guide, addresses: Parameters<Guide['parts']>[0]): SitePage {
  const { slug, title, about } = guide;
  return {
    surface: 'site',
    canonical: `site:/developers/${slug}`,
    area: 'developers',
    title,
    above: [{ kind: 'link', text: [{ kind: 'text', text: 'Developers' }], href: 'site:/developers' }],
    description: about,
    data: { '@type': 'TechArticle', headline: title, abstract: about },
    parts: guide.parts(addresses),
  };
}
