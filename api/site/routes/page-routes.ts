import * as z from 'zod';
import { codenameKey } from '../../../engine/contract/signing/index.ts';
import { negotiate } from '../../http/negotiate.ts';
import { PAGE_FORMS } from '../../http/page-forms.ts';
import type { Route } from '../../http/route.ts';
import type { PageEntry } from '../page.ts';
import { TypedCodename } from '../pages/operator.ts';
import { NAVIGATION, PAGES } from '../pages.ts';
import { createResolver } from '../render/addresses.ts';
import { canonicalLink, formFor, pageAnswer, representPage } from '../render/answer-page.ts';
import { defineRoute, type SiteContext } from '../site-context.ts';

const FORMS_WITH_DATA = [...PAGE_FORMS, ['json', 'application/json']] as const;

/** Common members of the routes of pages. */
const PAGE = {
  method: 'get',
  description: 'A page, as HTML or Markdown by Accept.',
  tag: 'site',
  auth: 'public',
  limit: 'public',
  page: true,
  documented: false,
} as const;

/** The route of a page. The API description leaves pages out. */
function pageRoute(entry: PageEntry): Route<SiteContext> {
  const { surface, path, operationId, summary, params, query, fastPath, problems = [], cache } = entry;
  const forms = entry.data === undefined ? PAGE_FORMS : FORMS_WITH_DATA;
  return defineRoute({
    ...PAGE,
    surface,
    path,
    operationId,
    summary,
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { query }),
    ...(fastPath === undefined ? {} : { fastPath }),
    successes: [{ status: 200, description: 'The page.', mediaTypes: forms.map(([, mediaType]) => mediaType) }],
    problems: ['not_acceptable', ...problems],
    cache,
    handle: async (input, { ctx, header }) => {
      if (entry.data !== undefined && negotiate(header('accept'), FORMS_WITH_DATA) === 'json') {
        return pageAnswer(entry.data(input.params, ctx), ctx.config, {});
      }
      const form = formFor(header('accept'));
      const { make, kept, board } = await entry.content(input, ctx);
      const finish = () => {
        const page = make();
        return { body: representPage(page, form, ctx.config, NAVIGATION), link: canonicalLink(page, ctx.config) };
      };
      const { body, link } = kept === undefined ? finish() : ctx.pages.prepared(...kept, form, finish);
      return pageAnswer(body, ctx.config, { Link: link }, board);
    },
  });
}

/** Target of the search form: redirects to the operator's page, or to the board when the field is empty. */
const findOperatorPage = defineRoute({
  ...PAGE,
  surface: 'site',
  path: '/operators',
  operationId: 'findOperatorPage',
  summary: 'Find an operator',
  query: z.looseObject({ codename: TypedCodename }),
  successes: [
    {
      status: 303,
      description: 'Redirects to the page of the operator.',
      headers: { Location: 'Address of the page.' },
    },
  ],
  problems: [],
  cache: null,
  handle: ({ query }, { ctx }) => {
    const codename = codenameKey(query.codename);
    const to = createResolver(ctx.config, 'site');
    const Location = to.near(codename === '' ? 'site:/' : `site:/operators/${encodeURIComponent(codename)}`);
    return { kind: 'empty', status: 303, headers: { Location } };
  },
});

export const PAGE_ROUTES: readonly Route<SiteContext>[] = [...PAGES.map(pageRoute), findOperatorPage];
