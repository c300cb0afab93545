import { ARCHIVE_ABOUT } from '../pages/archive.ts';
import { m } from '../render/inline.ts';
import { cards, heading, lede } from '../render/parts.ts';
import { errors } from './errors.ts';
import { gettingStarted } from './getting-started.ts';
import { developerPage, type Guide } from './guide.ts';
import { openRows } from './open-rows.ts';
import { premium } from './premium.ts';
import { rateLimits } from './rate-limits.ts';
import { signing } from './signing.ts';
import { versioning } from './versioning.ts';

/** The guides of the developer portal, in the order in which they are read. */
export const GUIDES: readonly Guide[] = [gettingStarted, rateLimits, errors, signing, openRows, premium, versioning];

export const developers = developerPage({
  path: '/developers',
  operationId: 'getDevelopersPage',
  summary: 'The developer portal',
  title: 'Developers',
  about: 'Guides, API reference and files for programs.',
  nav: 'Developers',
  make: ({ config }) => ({
    description: 'Guides, API reference, error codes, rate limits and versions of the Upsilon leaderboard.',
    parts: [
      lede(m`Everything on this site comes from one public API. Reading needs no account and no key.`),
      cards([
        ...GUIDES.filter(({ offered }) => offered?.(config) !== false).map(
          ({ slug, title, about }) => [title, `site:/developers/${slug}`, about] as const,
        ),
        ...(config.archive === null ? [] : [['Archive', 'site:/archive', ARCHIVE_ABOUT] as const]),
        ['API reference', 'site:/developers/reference', 'Every operation, with parameters, responses and errors.'],
      ]),
      heading(2, 'For programs'),
      cards([
        ['openapi.json', 'site:/openapi.json', 'The API description, OpenAPI 3.0.3.'],
        ['MCP', 'site:/.well-known/mcp', 'The MCP server and its tools, for language models.'],
        ['llms.txt', 'site:/llms.txt', 'A summary of this site; llms-full.txt has the full text.'],
        ['agent-instructions.txt', 'site:/agent-instructions.txt', 'How an agent should use this site.'],
      ]),
    ],
  }),
});
