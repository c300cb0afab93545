import type { Context } from 'koa';
import * as z from 'zod';
import { LeaderboardQuery } from '../../../engine/contract/index.ts';
import { codenameKey } from '../../../engine/contract/signing/index.ts';
import { createCookies } from '../../auth/sign-in/cookies.ts';
import { negotiate } from '../../http/negotiate.ts';
import { PAGE_FORMS, type PageForm } from '../../http/page-forms.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import { represent } from '../../http/representation.ts';
import type { ReadyResult, Route } from '../../http/route.ts';
import { searchOperatorsOnSite } from '../../v1/boards.ts';
import type { PageEntry } from '../page.ts';
import { TypedCodename, windowQuery } from '../pages/forms.ts';
import { navigationOf, PAGES } from '../pages.ts';
import { createResolver, operatorRef, placeRef, searchRef } from '../render/addresses.ts';
import { PAGE_TYPES, pageHeaders, pageText, type SitePage } from '../render/page-text.ts';
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

const SEE_OTHER = {
  status: 303,
  description: 'Redirects to another page.',
  headers: { Location: 'Address of the page.' },
} as const;

/** The route of a page. The API description leaves pages out. */
function pageRoute(entry: PageEntry): Route<SiteContext> {
  const forms = entry.data === undefined ? PAGE_FORMS : FORMS_WITH_DATA;
  return defineRoute({
    ...PAGE,
    ...entry,
    ...(entry.bySession === true ? { auth: 'handler' } : {}),
    successes: [
      { status: 200, description: 'The page.', mediaTypes: forms.map(([, mediaType]) => mediaType) },
      SEE_OTHER,
    ],
    problems: ['not_acceptable', ...(entry.problems ?? [])],
    handle: async (input, { ctx, header, koa }) => {
      const { config } = ctx;
      const form = negotiate<PageForm | 'json'>(header('accept'), forms);
      if (form === null) throw new Problem('not_acceptable', { headers: { Vary: 'Accept' } });
      if (form === 'json') {
        return {
          kind: 'ready',
          status: 200,
          body: await entry.data!(input.params, ctx),
          headers: { ...pageHeaders(config), ...robotsOf(entry) },
        };
      }
      const content = await entry.content(input, ctx, entry.bySession === true ? await signedIn(ctx, koa) : null);
      if ('leadsTo' in content) return seeOther(createResolver(config, entry.surface).near(content.leadsTo));
      const { make, kept, board } = content;
      const finish = (): ReadyResult => {
        const page = make();
        const address = createResolver(config, page.surface).far(page.canonical);
        const headers = {
          // What a session shows is never framed.
          ...pageHeaders(config, entry.bySession === true ? {} : page),
          ...robotsOf(entry, page),
          Link: `<${address}>; rel="canonical"`,
        };
        const body = represent(pageText(page, form, config, navigationOf(config)), PAGE_TYPES[form], true);
        return { kind: 'ready', status: 200, body, headers };
      };
      const page = kept === undefined ? finish() : ctx.pages.memo(`${form} ${kept}`, { context: finish });
      return { ...page, ...(board === undefined ? {} : { board }) };
    },
  });
}

/** The operator who is signed in in the browser of a request to the login host; null without a session. */
async function signedIn({ config, accounts }: SiteContext, koa: Context): Promise<number | null> {
  const secret = createCookies(config.loginUrl).session(koa);
  const session = secret === null ? null : await fromStorage(() => accounts.sessions.find(secret));
  return session?.operator ?? null;
}

function robotsOf({ unindexed }: PageEntry, { indexed = true }: Pick<SitePage, 'indexed'> = {}) {
  return unindexed === true || !indexed ? { 'X-Robots-Tag': 'noindex' } : {};
}

function seeOther(Location: string) {
  return { kind: 'empty', status: 303, headers: { Location } } as const;
}

/**
 * Target of the search form. It leads to the operator's row on the board; to its page where it is not ranked; to the codenames that begin
 * with an unknown one; and to the board when the field is empty.
 */
const findOperatorPage = defineRoute({
  ...PAGE,
  surface: 'site',
  path: '/operators',
  operationId: 'findOperatorPage',
  summary: 'Find an operator',
  query: z.object({ codename: TypedCodename, window: LeaderboardQuery.shape.window }),
  problems: ['validation_failed', 'window_invalid'],
  successes: [SEE_OTHER],
  handle: async ({ query }, { ctx }) => {
    const codename = codenameKey(query.codename);
    const to = createResolver(ctx.config, 'site');
    if (codename === '') return seeOther(to.near('site:/'));
    const { window } = query;
    const [profile, begun] = await fromStorage(() =>
      ctx.board.withBoardView((board) => Promise.all([board.profile(codename), board.codenamesFrom(codename, 1)])),
    );
    if (profile === null) return seeOther(to.near(begun.length === 0 ? operatorRef(codename) : searchRef(codename)));
    const more = windowQuery(window).replace('?', '&');
    const isRanked = profile.windows[window].rank !== null;
    return seeOther(to.near(isRanked ? placeRef(profile.codename, more) : operatorRef(codename)));
  },
});

export const PAGE_ROUTES: readonly Route<SiteContext>[] = [
  ...PAGES.map(pageRoute),
  findOperatorPage,
  searchOperatorsOnSite,
];
