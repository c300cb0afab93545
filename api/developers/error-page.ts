import * as z from 'zod';
import { isProblemCode, PROBLEMS, type ProblemCode, type ProblemDefinition } from '../../engine/contract/index.ts';
import { negotiate } from '../http/negotiate.ts';
import { PAGE_MEDIA_TYPES, type Page, type PageForm, pageAsHtml, pageAsMarkdown } from '../http/page.ts';
import { Problem, problemTypeUrl } from '../http/problem.ts';
import { type Representation, represent } from '../http/representation.ts';
import { type Addresses, defineRoute } from '../services.ts';
import { DOCUMENT_CACHE } from '../v1/cache-policies.ts';

const FORMS: readonly (readonly [PageForm, string])[] = [
  ['html', 'text/html'],
  ['markdown', 'text/markdown'],
  ['json', 'application/json'],
];

/** The page that a problem's `type` names. */
export const getErrorPage = defineRoute({
  method: 'get',
  surface: 'site',
  path: '/developers/errors/{code}',
  operationId: 'getErrorPage',
  summary: 'What a problem code means',
  description: 'A page for each code, as HTML, Markdown or JSON by Accept.',
  tag: 'service',
  auth: 'public',
  params: { schema: z.object({ code: z.string().refine(isProblemCode) }), unmatched: 'path_unknown' },
  successes: [{ status: 200, description: 'The page.', mediaTypes: FORMS.map(([, mediaType]) => mediaType) }],
  problems: ['path_unknown'],
  limit: 'public',
  cache: DOCUMENT_CACHE,
  documented: false,
  handle: ({ params }, { services, header }) => {
    if (!isProblemCode(params.code)) throw new Problem('path_unknown');
    // Whoever accepts none of the three reads Markdown best.
    const form = negotiate(header('accept'), FORMS) ?? 'markdown';
    return {
      kind: 'ready',
      status: 200,
      body: errorPage(params.code, form, services.addresses),
      headers: { Vary: 'Accept' },
    };
  },
});

function errorPage(code: ProblemCode, form: PageForm, addresses: Addresses): Representation {
  return represent(render(code, form, addresses), PAGE_MEDIA_TYPES[form], false);
}

function render(code: ProblemCode, form: PageForm, addresses: Addresses): string {
  const definition: ProblemDefinition = PROBLEMS[code];
  if (form === 'json') {
    return JSON.stringify({ type: problemTypeUrl(addresses.siteUrl, code), code, ...definition });
  }
  const page: Page = {
    title: definition.title,
    paragraphs: [definition.hint ?? ''].filter((text) => text !== ''),
    facts: [
      ['Code', code],
      ['HTTP status', String(definition.status)],
    ],
    links: [['API description', `${addresses.siteUrl}/openapi.json`]],
  };
  return form === 'html' ? pageAsHtml(page) : pageAsMarkdown(page);
}
