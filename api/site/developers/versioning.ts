import { m } from '../render/inline.ts';
import { bullets, codeBlock, heading, lede, prose, steps } from '../render/parts.ts';
import type { Guide } from './guide.ts';

export const versioning: Guide = {
  slug: 'versioning',
  title: 'Versions and retirement',
  about: 'What can change within a version, how operations are retired, and which headers announce it.',
  parts: () => [
    lede(m`The version is part of the path. The current one is \`/api/v1\`, and nothing in it is deprecated.`),
    heading(2, 'Within a version'),
    bullets(
      m`Fields may be added to responses, and operations to the API. Clients must ignore fields they do not recognise.`,
      m`Error codes keep their meaning and their status. New ones may be added.`,
      m`No existing field or operation is removed, renamed or given another type.`,
    ),
    heading(2, 'Breaking changes'),
    prose(m`They get a new path, such as \`/api/v2\`. The previous version stays available.`),
    heading(2, 'How an operation is retired'),
    steps(
      [m`Its replacement and end date are published here, and the API description marks it as \`deprecated\`.`],
      [
        m`Every response of the operation announces it in its headers:`,
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
    prose(m`**Currently deprecated:** nothing.`),
    heading(2, 'The API description'),
    prose(
      m`[openapi.json](site:/openapi.json) follows OpenAPI 3.0.3. It is generated from the same code that validates requests and responses.`,
    ),
  ],
};
