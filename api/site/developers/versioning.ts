import { m } from '../render/inline.ts';
import { bullets, codeBlock, heading, lede, prose, steps } from '../render/parts.ts';
import type { Guide } from './guide.ts';

export const versioning: Guide = {
  slug: 'versioning',
  title: 'Versions and retirement',
  about: 'What may change within a version, how an operation is retired, and which headers say so.',
  parts: () => [
    lede(m`The version is part of the path. The current one is \`/api/v1\`, and nothing in it is deprecated.`),
    heading(2, 'Within a version'),
    bullets(
      m`Members may be added to answers, and operations to the API. Clients must tolerate what they do not know.`,
      m`Error codes keep their meaning and their status. New ones may be added.`,
      m`Nothing that was there is removed, renamed or given another type.`,
    ),
    heading(2, 'Breaking changes'),
    prose(m`They come under a new major path, such as \`/api/v2\`. The former version goes on beside it.`),
    heading(2, 'How an operation is retired'),
    steps(
      [m`Its replacement and the date of its end are published here, and in the API description as \`deprecated\`.`],
      [
        m`Every answer of it says so in its headers:`,
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
      [m`After that date it is gone.`],
    ),
    prose(m`**Deprecated at present:** nothing.`),
    heading(2, 'The description has a version, too'),
    prose(
      m`[openapi.json](site:/openapi.json) follows OpenAPI 3.0.3. It is made from the same values that check requests and answers, so it says what the service does.`,
    ),
  ],
};
