import type { Config } from '../../../config/config.ts';
import { DOCUMENT_CACHE } from '../../http/standard-headers.ts';
import type { Tool } from '../../tool.ts';
import type { PageEntry } from '../page.ts';
import { m } from '../render/inline.ts';
import type { SitePage } from '../render/page-text.ts';
import type { Part } from '../render/parts.ts';
import type { SiteContext } from '../site-context.ts';

/** A page of the developer portal, which does not depend on the board: made once in each form. */
export function developerPage({
  path,
  title,
  about,
  make,
  ...entry
}: Pick<PageEntry, 'path' | 'operationId' | 'summary' | 'nav' | 'inFull' | 'offered'> & {
  readonly title: string;
  readonly about: string;
  /** `description` is `about` unless given. */
  readonly make: (ctx: SiteContext, tool: Tool) => Pick<SitePage, 'parts'> & Partial<SitePage>;
}): PageEntry {
  const frame = {
    surface: 'site',
    canonical: `site:${path}`,
    area: 'Developers',
    menu: true,
    width: 'tables',
  } as const;
  const page = { ...frame, title, description: about };
  return {
    ...entry,
    surface: 'site',
    path,
    listed: { title, about },
    cache: DOCUMENT_CACHE,
    fastPath: { forMs: Number.POSITIVE_INFINITY },
    async content(_input, ctx) {
      const tool = await ctx.tool();
      return { make: () => ({ ...page, ...make(ctx, tool) }), kept: path, board: ctx.board.view().version };
    },
  };
}

/** A guide of the developer portal, at /developers/{slug}. */
export interface Guide {
  readonly slug: string;
  readonly title: string;
  /** One sentence: the subject of the guide. */
  readonly about: string;
  /** Whether an installation has the guide; absent: always. */
  readonly offered?: PageEntry['offered'];
  /** The addresses appear in examples that readers type. */
  readonly parts: (config: Config, tool: Omit<Tool, 'body'>) => readonly Part[];
}

export function guideEntry({ slug, title, about, offered, parts }: Guide): PageEntry {
  return developerPage({
    ...(offered === undefined ? {} : { offered }),
    path: `/developers/${slug}`,
    operationId: `getGuide-${slug}`,
    summary: title,
    title,
    about,
    inFull: true,
    make: ({ config }, tool) => ({
      above: m`[Developers](site:/developers)`,
      data: { '@type': 'TechArticle', headline: title, abstract: about },
      parts: parts(config, tool),
    }),
  });
}
