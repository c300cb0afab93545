import { m } from '../render/inline.ts';
import { bullets, codeBlock, heading, lede, prose, steps } from '../render/parts.ts';
import type { Guide } from './guide.ts';

export const versioning: Guide = {
  slug: 'versioning',
  title: 'Versions and retirement',
  about: 'What may change within a version, how an operation is retired, and which headers announce it.',
  parts: () => [
    lede(m`The version is part of the path. The current one is \`/api/v1\`, and nothing in it is deprecated.`),
    heading(2, 'Within a version'),
    bullets(
      m`Members may be added to responses, and operations to the API. Clients must ignore members that they do not know.`,
      m`Error codes keep their meaning and their status. New ones may be added.`,
      m`No existing member or operation is removed, renamed or given another type.`,
    ),
    heading(2, 'Breaking changes'),
    prose(m`They get a new major path, such as \`/api/v2\`. The former version stays available.`),
    heading(2, 'How an operation is retired'),
    steps(
      [m`Its replacement and end date are published here, and the API description marks it as \`deprecated\`.`],
      [
        m`The headers of every response of the operation announce it:`,
        codeBlock(
          'http',
          [
            'Deprecation: true',
            'Sunset: Sat, 01 May 2027 00:00:00 GMT',
            'Link: <https://example.com/api/v2/thing>; rel="successor-version"',
          ].join('\n'),
          'Headers of a retired operation',
        ),
      ],
      [m`After that date the operation is removed.`],
    ),
    prose(m`**Deprecated at present:** nothing.`),
    heading(2, 'The API description'),
    prose(
      m`[openapi.json](site:/openapi.json) follows OpenAPI 3.0.3. It is generated from the same values that validate requests and responses.`,
    ),
  ],
};
