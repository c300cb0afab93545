import * as z from 'zod';
import { isProblemCode, PROBLEMS } from '../../../engine/contract/index.ts';
import { negotiate } from '../../http/negotiate.ts';
import { PAGE_FORMS } from '../../http/page-forms.ts';
import { Problem, problemTypeUrl } from '../../http/problem.ts';
import { represent } from '../../http/representation.ts';
import type { Route } from '../../http/route.ts';
import { DOCUMENT_CACHE } from '../../http/standard-headers.ts';
import { errorPage } from '../developers/errors.ts';
import { guidePage } from '../developers/guide.ts';
import { GUIDES } from '../developers/guides.ts';
import { developersPage } from '../developers/index-page.ts';
import { readDescription } from '../developers/open-api.ts';
import { referencePage } from '../developers/reference.ts';
import { formFor, pageAnswer } from '../render/answer-page.ts';
import type { SitePage } from '../render/site-page.ts';
import { defineRoute, type SiteContext } from '../site-context.ts';
import { pageRoute } from './page-route.ts';

/** A page that does not depend on the board: made once in each form. */
function staticPage(path: `/${string}`, name: string, summary: string, make: (ctx: SiteContext) => SitePage) {
  return defineRoute({
    ...pageRoute('site', path, name, summary),
    problems: ['not_acceptable'],
    cache: DOCUMENT_CACHE,
    fastPath: { forMs: Number.POSITIVE_INFINITY },
    handle: (_input, { ctx, header }) => {
      const form = formFor(header('accept'));
      const { body, link } = ctx.pages.prepared(path, 0, form, () => make(ctx));
      return pageAnswer(body, ctx.config, { Link: link }, ctx.board.view().version);
    },
  });
}

export const getDevelopersPage = staticPage('/developers', 'getDevelopersPage', 'The developer portal', developersPage);

export const getReferencePage = staticPage('/developers/reference', 'getReferencePage', 'The API reference', (ctx) =>
  referencePage(readDescription(ctx.description.identity.toString('utf8'))),
);

export const GUIDE_ROUTES: readonly Route<SiteContext>[] = GUIDES.map((guide) =>
  staticPage(`/developers/${guide.slug}`, `getGuide-${guide.slug}`, guide.title, ({ config }) =>
    guidePage(guide, config),
  ),
);

const ERROR_FORMS = [...PAGE_FORMS, ['json', 'application/json']] as const;

/** The page at the address of a problem's `type`. */
export const getErrorPage = defineRoute({
  ...pageRoute('site', '/developers/errors/{code}', 'getErrorPage', 'What a problem code means'),
  params: { schema: z.object({ code: z.string().refine(isProblemCode) }), unmatched: 'path_unknown' },
  successes: [{ status: 200, description: 'The page.', mediaTypes: ERROR_FORMS.map(([, mediaType]) => mediaType) }],
  problems: ['path_unknown', 'not_acceptable'],
  cache: DOCUMENT_CACHE,
  handle: ({ params: { code } }, { ctx: { config: addresses, pages }, header }) => {
    if (!isProblemCode(code)) throw new Problem('path_unknown');
    if (negotiate(header('accept'), ERROR_FORMS) === 'json') {
      const body = JSON.stringify({ type: problemTypeUrl(addresses.siteUrl, code), code, ...PROBLEMS[code] });
      return pageAnswer(represent(body, 'application/json; charset=utf-8', false), addresses, {});
    }
    const form = formFor(header('accept'));
    const { body, link } = pages.prepared(`error ${code}`, 0, form, () => errorPage(code, addresses.siteUrl));
    return pageAnswer(body, addresses, { Link: link });
  },
});
