import * as z from 'zod';
import { PROBLEMS } from '../../../engine/contract/index.ts';
import { PLATFORMS } from '../../../engine/contract/platforms.ts';
import { Problem } from '../../http/problem.ts';
import { type Representation, represent } from '../../http/representation.ts';
import type { Route } from '../../http/route.ts';
import { DOCUMENT_CACHE } from '../../http/standard-headers.ts';
import { agentInstructions, llmsFullText, llmsText, robotsText } from '../agents/llms-text.ts';
import { SECURITY_TEXT_PATH, securityText } from '../agents/security-text.ts';
import { siteMap } from '../agents/site-maps.ts';
import { listedPages, offeredPages } from '../pages.ts';
import type { Ref } from '../render/addresses.ts';
import { defineRoute, type SiteContext } from '../site-context.ts';

const TEXT = 'text/plain; charset=utf-8';

/** A part number without leading zeros, so that each part has one address. */
const PART = /^(?:0|[1-9]\d{0,5})$/;

const TEXT_ROUTE = {
  method: 'get',
  surface: 'site',
  description: 'A text for programs.',
  tag: 'site',
  auth: 'public',
  successes: [
    { status: 200, description: 'The text.', mediaTypes: ['text/plain', 'application/xml', 'application/json'] },
  ],
  limit: 'documents',
  cache: DOCUMENT_CACHE,
  documented: false,
} as const;

/** Texts for programs that do not depend on the request. */
const TEXTS: readonly (readonly [
  path: `/${string}`,
  operationId: string,
  summary: string,
  make: (ctx: SiteContext) => string | Representation | Promise<string | Representation>,
])[] = [
  [
    '/llms.txt',
    'getLlmsText',
    'Summary of the site, for language models',
    ({ config }) => llmsText(listedPages(config), config),
  ],
  ['/llms-full.txt', 'getLlmsFullText', 'Full text of the pages, for language models', fullText],
  [
    '/agent-instructions.txt',
    'getAgentInstructions',
    'How an agent should use the site',
    ({ config }) => agentInstructions(config),
  ],
  ['/robots.txt', 'getRobots', 'Rules for crawlers', ({ config }) => robotsText(config)],
  // Contract, part 4.6: the machine-readable API description.
  ['/openapi.json', 'getDescription', 'The API description', ({ description }) => description],
  ['/sitemap.xml', 'getSitemap', 'Index of the sitemap', ({ siteMaps }) => siteMaps.index()],
  ['/sitemap-pages.xml', 'getPagesSitemap', 'Sitemap of pages', siteMapOfPages],
];

const getOperatorsSitemap = defineRoute({
  ...TEXT_ROUTE,
  path: '/sitemap-operators-{part}.xml',
  operationId: 'getOperatorsSitemap',
  summary: 'Sitemap of operators’ pages',
  params: { schema: z.object({ part: z.string().regex(PART) }), unmatched: 'path_unknown' },
  problems: ['path_unknown'],
  handle: async ({ params }, { ctx }) => {
    const map = await ctx.siteMaps.operators(Number(params.part));
    if (map === null) throw new Problem('path_unknown', { detail: 'The sitemap has no such part.' });
    return { kind: 'ready', status: 200, body: map };
  },
});

/** Where to report a vulnerability: at the root of every host. */
const getSecurityText = defineRoute({
  ...TEXT_ROUTE,
  surface: 'every',
  path: SECURITY_TEXT_PATH,
  operationId: 'getSecurityText',
  summary: 'Where to report a vulnerability',
  problems: ['path_unknown'],
  handle: (_input, { ctx }) => {
    const { contact } = ctx.config;
    if (contact === null)
      throw new Problem('path_unknown', { detail: 'No security contact is configured on this server.' });
    const text = securityText(contact, ctx.config, ctx.clock());
    return { kind: 'ready', status: 200, body: represent(text, TEXT, false) };
  },
});

export const AGENT_ROUTES: readonly Route<SiteContext>[] = [
  ...TEXTS.map(([path, operationId, summary, make]) =>
    defineRoute({
      ...TEXT_ROUTE,
      path,
      operationId,
      summary,
      handle: async (_input, { ctx }) => {
        // What is made here follows from the settings and the methodology; the full text takes a tenth of a second.
        const key = `text ${path} ${ctx.board.view().methodology}`;
        const kept = ctx.pages.get(key);
        if (kept !== undefined) return kept;
        const text = await make(ctx);
        if (typeof text !== 'string') return { kind: 'ready', status: 200, body: text };
        const result = { kind: 'ready', status: 200, body: represent(text, TEXT, true) } as const;
        ctx.pages.set(key, result);
        return result;
      },
    }),
  ),
  getOperatorsSitemap,
  getSecurityText,
];

/** A summary of the site, and the pages that explain the service, in full. */
async function fullText(ctx: SiteContext): Promise<string> {
  const contents = await Promise.all(
    offeredPages(ctx.config)
      .filter(({ inFull }) => inFull)
      .map(async (entry) => entry.content({ params: {}, query: {} }, ctx, null)),
  );
  return llmsFullText(
    listedPages(ctx.config),
    contents.flatMap((content) => ('make' in content ? content.make() : [])),
    ctx.config,
  );
}

function siteMapOfPages({ config }: SiteContext): Representation {
  const codes = Object.keys(PROBLEMS).map((code): Ref => `site:/developers/errors/${code}`);
  const tools = PLATFORMS.map((platform): Ref => `site:/platform/${platform}`);
  return siteMap('urlset', [...listedPages(config).map(({ ref }) => ref), ...tools, ...codes], config);
}
