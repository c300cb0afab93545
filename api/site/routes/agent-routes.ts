import { type Representation, represent } from '../../http/representation.ts';
import type { ReadyAnswer, Route } from '../../http/route.ts';
import { type ApiServices, defineRoute } from '../../services.ts';
import { DOCUMENT_CACHE } from '../../v1/cache-policies.ts';
import { agentInstructions, llmsFullText, llmsText } from '../agents/llms-text.ts';
import { robotsText } from '../agents/robots.ts';
import { siteMap } from '../agents/site-map.ts';
import { guidePage } from '../developers/guide.ts';
import { GUIDES } from '../developers/guides.ts';
import { readDescription } from '../developers/open-api.ts';
import { referencePage } from '../developers/reference.ts';
import { methodologyOf } from '../methodology-of.ts';
import { methodologyPage } from '../pages/methodology.ts';
import { CONTENT_SIGNAL } from '../render/answer-page.ts';

const TEXT = 'text/plain; charset=utf-8';

/** A text for programs, the same for everybody. */
function textRoute(path: `/${string}`, name: string, summary: string, make: (services: ApiServices) => Representation) {
  return defineRoute({
    method: 'get',
    surface: 'site',
    path,
    operationId: name,
    summary,
    description: 'A text for programs.',
    tag: 'site',
    auth: 'public',
    successes: [{ status: 200, description: 'The text.', mediaTypes: ['text/plain', 'application/xml'] }],
    problems: [],
    limit: 'public',
    cache: DOCUMENT_CACHE,
    documented: false,
    handle: (_input, { services }): ReadyAnswer => ({
      kind: 'ready',
      status: 200,
      body: make(services),
      headers: { 'Content-Signal': CONTENT_SIGNAL },
    }),
  });
}

/** What programs read to find their way. */
export const AGENT_ROUTES: readonly Route<ApiServices>[] = [
  textRoute('/llms.txt', 'getLlmsText', 'The site in short, for language models', ({ addresses }) =>
    represent(llmsText(addresses), TEXT, true),
  ),
  textRoute('/llms-full.txt', 'getLlmsFullText', 'The pages in one file, for language models', (services) =>
    represent(llmsFullText(fullPages(services), services.addresses), TEXT, true),
  ),
  textRoute('/agent-instructions.txt', 'getAgentInstructions', 'How an agent should use the site', ({ addresses }) =>
    represent(agentInstructions(addresses), TEXT, true),
  ),
  textRoute('/robots.txt', 'getRobots', 'What crawlers may do', ({ addresses }) =>
    represent(robotsText(addresses), TEXT, true),
  ),
  textRoute('/sitemap.xml', 'getSitemap', 'The addresses of all pages', ({ board, addresses }) =>
    represent(siteMap(board.view(), addresses), 'application/xml; charset=utf-8', true),
  ),
];

function fullPages(services: ApiServices) {
  const { addresses, board } = services;
  const view = board.view();
  return [
    methodologyPage(methodologyOf(view), view, { typed: {}, rank: null }),
    ...GUIDES.map((guide) => guidePage(guide, addresses)),
    referencePage(readDescription(services.description().identity.toString('utf8'))),
  ];
}
