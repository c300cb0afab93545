import * as z from 'zod';
import { Problem } from '../../http/problem.ts';
import { type Representation, represent } from '../../http/representation.ts';
import type { ReadyAnswer, Route } from '../../http/route.ts';
import { DOCUMENT_CACHE } from '../../http/standard-headers.ts';
import { agentInstructions, llmsFullText, llmsText } from '../agents/llms-text.ts';
import { robotsText } from '../agents/robots.ts';
import { SECURITY_TEXT_PATH, securityText } from '../agents/security-text.ts';
import { guidePage } from '../developers/guide.ts';
import { GUIDES } from '../developers/guides.ts';
import { readDescription } from '../developers/open-api.ts';
import { referencePage } from '../developers/reference.ts';
import { methodologyOf } from '../methodology-of.ts';
import { methodologyPage } from '../pages/methodology.ts';
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

function textAnswer(body: Representation): ReadyAnswer {
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
    represent(llmsText(config), TEXT, true),
  ),
  textRoute('/llms-full.txt', 'getLlmsFullText', 'Full text of the pages, for language models', (ctx) =>
    represent(llmsFullText(fullPages(ctx), ctx.config), TEXT, true),
  ),
  textRoute('/agent-instructions.txt', 'getAgentInstructions', 'How an agent should use the site', ({ config }) =>
    represent(agentInstructions(config), TEXT, true),
  ),
  textRoute('/robots.txt', 'getRobots', 'Rules for crawlers', ({ config }) =>
    represent(robotsText(config), TEXT, true),
  ),
  textRoute('/sitemap.xml', 'getSitemap', 'Index of the sitemap', ({ siteMaps }) => siteMaps.index()),
  textRoute('/sitemap-pages.xml', 'getPagesSitemap', 'Sitemap of pages', ({ siteMaps }) => siteMaps.pages()),
  getOperatorsSitemap,
  getSecurityText,
];

function fullPages(ctx: SiteContext) {
  const { config: addresses, board } = ctx;
  const view = board.view();
  return [
    methodologyPage(methodologyOf(view), view, { typed: {}, rank: null }),
    ...GUIDES.map((guide) => guidePage(guide, addresses)),
    referencePage(readDescription(ctx.description.identity.toString('utf8'))),
  ];
}
