import { m } from '../render/inline.ts';
import { cards, heading, lede } from '../render/parts.ts';
import { errors } from './errors.ts';
import { gettingStarted } from './getting-started.ts';
import { developerPage, type Guide } from './guide.ts';
import { premium } from './premium.ts';
import { rateLimits } from './rate-limits.ts';
import { signing } from './signing.ts';
import { versioning } from './versioning.ts';

/** The guides of the developer portal, in the order in which they are read. */
export const GUIDES: readonly Guide[] = [gettingStarted, signing, errors, rateLimits, premium, versioning];

/** The index page of the developer portal. */
export const developers = developerPage({
  path: '/developers',
  operationId: 'getDevelopersPage',
  summary: 'The developer portal',
  title: 'Developers',
  about: 'Index of the guides.',
  nav: 'Developers',
  make: () => ({
    description: 'Guides, API reference, error codes, limits and versions of the Upsilon leaderboard.',
    parts: [
      lede(
        m`Everything on this site comes from one API, and one description documents that API. Reading needs no key.`,
      ),
      cards([
        ...GUIDES.map(({ slug, title, about }) => [title, `site:/developers/${slug}`, about] as const),
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
  }),
});
