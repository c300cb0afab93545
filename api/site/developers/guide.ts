import { DOCUMENT_CACHE } from '../../http/standard-headers.ts';
import type { PageEntry } from '../page.ts';
import { m } from '../render/inline.ts';
import type { Part } from '../render/parts.ts';
import type { SitePage } from '../render/site-page.ts';
import type { SiteContext } from '../site-context.ts';

/** A page of the developer portal, at /developers/{slug}. */
export interface Guide {
  readonly slug: string;
  readonly title: string;
  /** One sentence: the subject of the guide. */
  readonly about: string;
  /** The addresses appear in examples that readers type. */
  parts(addresses: { readonly siteUrl: string; readonly baseUrl: string; readonly loginUrl: string }): readonly Part[];
}

/** A page that does not depend on the board: made once in each form. */
export function staticPage({
  make,
  ...entry
}: Pick<PageEntry, 'path' | 'operationId' | 'summary' | 'listed' | 'nav'> & {
  readonly make: (ctx: SiteContext) => SitePage;
}): PageEntry {
  return {
    ...entry,
    surface: 'site',
    cache: DOCUMENT_CACHE,
    fastPath: { forMs: Number.POSITIVE_INFINITY },
    content: (_input, ctx) => ({ make: () => make(ctx), kept: [entry.path, 0], board: ctx.board.view().version }),
  };
}

export function guideEntry(guide: Guide): PageEntry {
  const { slug, title, about } = guide;
  return staticPage({
    path: `/developers/${slug}`,
    operationId: `getGuide-${slug}`,
    summary: title,
    listed: { title, about },
    make: ({ config }) => ({
      surface: 'site',
      canonical: `site:/developers/${slug}`,
      area: 'Developers',
      title,
      above: m`[Developers](site:/developers)`,
      description: about,
      data: { '@type': 'TechArticle', headline: title, abstract: about },
      parts: guide.parts(config),
    }),
  });
}
