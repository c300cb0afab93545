import * as z from 'zod';
import { codenameKey } from '../../../engine/contract/signing/index.ts';
import { negotiate } from '../../http/negotiate.ts';
import { PAGE_FORMS, type PageForm } from '../../http/page-forms.ts';
import { Problem } from '../../http/problem.ts';
import { represent } from '../../http/representation.ts';
import type { ReadyResult, Route } from '../../http/route.ts';
import { searchOperatorsOnSite } from '../../v1/boards.ts';
import type { PageEntry } from '../page.ts';
import { TypedCodename } from '../pages/forms.ts';
import { NAVIGATION, PAGES } from '../pages.ts';
import { createResolver, operatorRef } from '../render/addresses.ts';
import { PAGE_TYPES, pageHeaders, pageText } from '../render/page-text.ts';
import { defineRoute, type SiteContext } from '../site-context.ts';

const FORMS_WITH_DATA = [...PAGE_FORMS, ['json', 'application/json']] as const;

const PAGE = {
  method: 'get',
  description: 'A page, as HTML or Markdown by Accept.',
  tag: 'site',
  auth: 'public',
  limit: 'pages',
  alsoLimit: 'renders',
  page: true,
  selects: true,
  documented: false,
} as const;

/** The route of a page. The API description leaves pages out. */
function pageRoute(entry: PageEntry): Route<SiteContext> {
  const forms = entry.data === undefined ? PAGE_FORMS : FORMS_WITH_DATA;
  return defineRoute({
    ...PAGE,
    ...entry,
    successes: [{ status: 200, description: 'The page.', mediaTypes: forms.map(([, mediaType]) => mediaType) }],
    problems: ['not_acceptable', ...(entry.problems ?? [])],
    handle: async (input, { ctx, header }) => {
      const { config } = ctx;
      const robots = entry.unindexed === true ? { 'X-Robots-Tag': 'noindex' } : {};
      const form = negotiate<PageForm | 'json'>(header('accept'), forms);
      if (form === null) throw new Problem('not_acceptable', { headers: { Vary: 'Accept' } });
      if (form === 'json') {
        return {
          kind: 'ready',
          status: 200,
          body: await entry.data!(input.params, ctx),
          headers: { ...pageHeaders(config), ...robots },
        };
      }
      const { make, kept, board } = await entry.content(input, ctx);
      const finish = (): ReadyResult => {
        const page = make();
        const address = createResolver(config, page.surface).far(page.canonical);
        const headers = { ...pageHeaders(config), ...robots, Link: `<${address}>; rel="canonical"` };
        const body = represent(pageText(page, form, config, NAVIGATION), PAGE_TYPES[form], true);
        return { kind: 'ready', status: 200, body, headers };
      };
      const page = kept === undefined ? finish() : ctx.pages.memo(`${form} ${kept}`, { context: finish });
      return { ...page, ...(board === undefined ? {} : { board }) };
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
  query: z.object({ codename: TypedCodename }),
  successes: [
    {
      status: 303,
      description: 'Redirects to the page of the operator.',
      headers: { Location: 'Address of the page.' },
    },
  ],
  handle: ({ query }, { ctx }) => {
    const codename = codenameKey(query.codename);
    const to = createResolver(ctx.config, 'site');
    const Location = to.near(codename === '' ? 'site:/' : operatorRef(codename));
    return { kind: 'empty', status: 303, headers: { Location } };
  },
});

export const PAGE_ROUTES: readonly Route<SiteContext>[] = [
  ...PAGES.map(pageRoute),
  findOperatorPage,
  searchOperatorsOnSite,
];
