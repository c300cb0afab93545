import * as z from 'zod';
import { PROBLEMS } from '../../../engine/contract/index.ts';
import { Problem } from '../../http/problem.ts';
import { type Representation, represent } from '../../http/representation.ts';
import type { ReadyResult, Route } from '../../http/route.ts';
import { DOCUMENT_CACHE } from '../../http/standard-headers.ts';
import { agentInstructions, llmsFullText, llmsText, robotsText } from '../agents/llms-text.ts';
import { SECURITY_TEXT_PATH, securityText } from '../agents/security-text.ts';
import { urlSet } from '../agents/site-map.ts';
import { guideEntry } from '../developers/guide.ts';
import { GUIDES } from '../developers/guides.ts';
import { reference } from '../developers/reference.ts';
import { methodologyEntry } from '../pages/methodology.ts';
import { LISTED_PAGES } from '../pages.ts';
import type { Ref } from '../render/addresses.ts';
import type { SitePage } from '../render/site-page.ts';
import { defineRoute, type SiteContext } from '../site-context.ts';

const TEXT = 'text/plain; charset=utf-8';
const XML = 'application/xml; charset=utf-8';

/** A part number without leading zeros, so that each part has one address. */
const PART = /^(?:0|[1-9]\d{0,5})$/;

const TEXT_ROUTE = {
  method: 'get',
  surface: 'site',
  description: 'A text for programs.',
  tag: 'site',
  auth: 'public',
  successes: [{ status: 200, description: 'The text.', mediaTypes: ['text/plain', 'application/xml'] }],
  limit: 'public',
  cache: DOCUMENT_CACHE,
  documented: false,
} as const;

/** A text for programs that does not depend on the request. */
function textRoute(
  path: `/${string}`,
  name: string,
  summary: string,
  make: (ctx: SiteContext) => Representation | Promise<Representation>,
) {
  return defineRoute({
    ...TEXT_ROUTE,
    path,
    operationId: name,
    summary,
    problems: [],
    handle: async (_input, { ctx }) => textAnswer(await make(ctx)),
  });
}

function textAnswer(body: Representation): ReadyResult {
  return { kind: 'ready', status: 200, body };
}

/** The operators' pages of one part of the sitemap. */
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
    return textAnswer(map);
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
    const text = contact === null ? null : securityText(contact, ctx.config, ctx.clock());
    if (text === null)
      throw new Problem('path_unknown', { detail: 'No security contact is configured on this server.' });
    return textAnswer(represent(text, TEXT, false));
  },
});

export const AGENT_ROUTES: readonly Route<SiteContext>[] = [
  textRoute('/llms.txt', 'getLlmsText', 'Summary of the site, for language models', ({ config }) =>
    represent(llmsText(LISTED_PAGES, config), TEXT, true),
  ),
  textRoute('/llms-full.txt', 'getLlmsFullText', 'Full text of the pages, for language models', async (ctx) =>
    represent(llmsFullText(LISTED_PAGES, await fullPages(ctx), ctx.config), TEXT, true),
  ),
  textRoute('/agent-instructions.txt', 'getAgentInstructions', 'How an agent should use the site', ({ config }) =>
    represent(agentInstructions(config), TEXT, true),
  ),
  textRoute('/robots.txt', 'getRobots', 'Rules for crawlers', ({ config }) =>
    represent(robotsText(config), TEXT, true),
  ),
  textRoute('/sitemap.xml', 'getSitemap', 'Index of the sitemap', ({ siteMaps }) => siteMaps.index()),
  textRoute('/sitemap-pages.xml', 'getPagesSitemap', 'Sitemap of pages', siteMapOfPages),
  getOperatorsSitemap,
  getSecurityText,
];

/** The pages that explain the service, in full. */
async function fullPages(ctx: SiteContext): Promise<SitePage[]> {
  const contents = await Promise.all(
    [methodologyEntry, ...GUIDES.map(guideEntry), reference].map(async (entry) =>
      entry.content({ params: {}, query: {} }, ctx),
    ),
  );
  return contents.map(({ make }) => make());
}

function siteMapOfPages(ctx: SiteContext): Representation {
  const codes = Object.keys(PROBLEMS).map((code): Ref => `site:/developers/errors/${code}`);
  return represent(urlSet([...LISTED_PAGES.map(({ ref }) => ref), ...codes], ctx.config), XML, true);
}
