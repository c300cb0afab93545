import { m } from '../render/inline.ts';
import { cards, heading, lede } from '../render/parts.ts';
import type { SitePage } from '../render/site-page.ts';
import { staticPage } from './guide.ts';
import { GUIDES } from './guides.ts';

/** The index page of the developer portal. */
export const developers = staticPage({
  path: '/developers',
  operationId: 'getDevelopersPage',
  summary: 'The developer portal',
  listed: { title: 'Developers', about: 'Index of the guides.' },
  nav: 'Developers',
  make: developersPage,
});

function developersPage(): SitePage {
  return {
    surface: 'site',
    canonical: 'site:/developers',
    area: 'Developers',
    title: 'Developers',
    description: 'Guides, API reference, error codes, limits and versions of the Upsilon leaderboard.',
    parts: [
      lede(
        m`Everything on this site comes from one API, and one description documents that API. Reading needs no key.`,
      ),
      cards([
        ...GUIDES.map(({ slug, title, about }): readonly [string, `site:/${string}`, string] => [
          title,
          `site:/developers/${slug}`,
          about,
        ]),
        ['API reference', 'site:/developers/reference', 'Every operation with its parameters, responses and errors.'],
      ]),
      heading(2, 'For programs'),
      cards([
        ['openapi.json', 'site:/openapi.json', 'The API description, OpenAPI 3.0.3.'],
        ['MCP', 'site:/.well-known/mcp', 'Where models find the tools of this site.'],
        ['llms.txt', 'site:/llms.txt', 'A summary of the site; llms-full.txt contains the full text.'],
        ['agent-instructions.txt', 'site:/agent-instructions.txt', 'How an agent should use this site.'],
      ]),
    ],
  };
}
