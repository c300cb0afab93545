import * as z from 'zod';
import { LeaderboardQuery, type Window } from '../../../engine/contract/index.ts';
import { codenameKey } from '../../../engine/contract/signing/index.ts';
import type { PageForm } from '../../http/page-forms.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import { MAX_CODENAME_LENGTH, REPEATED_FOR_MS } from '../../v1/operators/get-operator.ts';
import { methodologyOf } from '../methodology-of.ts';
import { type Compared, compareFormPage, comparePage } from '../pages/compare.ts';
import { NEIGHBOURS_SHOWN, operatorPage } from '../pages/operator.ts';
import { createResolver } from '../render/addresses.ts';
import { canonicalLink, formFor, pageAnswer, representPage } from '../render/answer-page.ts';
import type { SitePage } from '../render/site-page.ts';
import { defineRoute, type SiteContext } from '../site-context.ts';
import { BOARD_PAGE_CACHE, pageRoute } from './page-route.ts';

const { window: Asked } = LeaderboardQuery.shape;

const Params = z.object({ codename: z.string().min(1).max(MAX_CODENAME_LENGTH) });
/** Text typed into a form; control characters, which no codename has, are removed. */
const Typed = z
  .string()
  .max(MAX_CODENAME_LENGTH)
  .default('')
  .transform((typed) => typed.replaceAll(/\p{Cc}/gu, '').trim());

/** Target of the search form: redirects to the operator's page, or to the board when the field is empty. */
export const findOperatorPage = defineRoute({
  ...pageRoute('site', '/operators', 'findOperatorPage', 'Find an operator'),
  query: z.looseObject({ codename: Typed }),
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

export const getOperatorPage = defineRoute({
  ...pageRoute('site', '/operators/{codename}', 'getOperatorPage', 'An operator'),
  params: { schema: Params, unmatched: 'operator_unknown' },
  query: z.looseObject({ window: Asked }),
  problems: ['not_acceptable', 'operator_unknown', 'window_invalid'],
  cache: BOARD_PAGE_CACHE,
  fastPath: { forMs: REPEATED_FOR_MS },
  handle: async ({ params, query }, { ctx, header }) => {
    const form = formFor(header('accept'));
    const { board, config: addresses } = ctx;
    const { version } = board.view();
    const [profile, neighbours, history] = await fromStorage(() =>
      Promise.all([
        board.profile(params.codename),
        board.neighbours(params.codename, query.window, NEIGHBOURS_SHOWN),
        board.history(params.codename, query.window),
      ]),
    );
    if (profile === null || history === null) throw await unknownOperator(ctx, params.codename);
    const view = board.view();
    const page = operatorPage({
      view,
      methodology: methodologyOf(view),
      window: query.window,
      profile,
      neighbours,
      history,
      siteUrl: addresses.siteUrl,
    });
    return answer(page, form, ctx, version);
  },
});

/** Two operators side by side; the form when a codename is missing or unknown. */
export const getComparePage = defineRoute({
  ...pageRoute('site', '/compare', 'getComparePage', 'Compare two operators'),
  query: z.looseObject({ a: Typed, b: Typed, window: Asked }),
  problems: ['not_acceptable', 'validation_failed', 'window_invalid'],
  cache: BOARD_PAGE_CACHE,
  handle: async ({ query }, { ctx, header }) => {
    const form = formFor(header('accept'));
    const asked = { a: query.a, b: query.b, window: query.window };
    const [a, b] = await Promise.all([asked.a, asked.b].map((side) => compared(ctx, side, asked.window)));
    if (a && b) return answer(comparePage(a, b, asked.window), form, ctx);
    const unknown = [a ? '' : asked.a, b ? '' : asked.b].filter((codename) => codename !== '');
    return answer(compareFormPage(asked, unknown), form, ctx);
  },
});

async function compared({ board }: SiteContext, codename: string, window: Window): Promise<Compared | null> {
  if (codename === '') return null;
  const [profile, history] = await fromStorage(() =>
    Promise.all([board.profile(codename), board.history(codename, window)]),
  );
  return profile === null || history === null ? null : { profile, history };
}

/** Codenames suggested for an unknown one. */
const SUGGESTIONS = 3;

async function unknownOperator({ board, config: addresses }: SiteContext, codename: string): Promise<Problem> {
  const like = await fromStorage(() => board.ask((asked) => asked.codenamesLike(codename, SUGGESTIONS)));
  const links = Object.fromEntries(like.map((known) => [known, `${addresses.siteUrl}/operators/${known}`]));
  return new Problem('operator_unknown', { detail: 'No operator has this codename.', links });
}

function answer(page: SitePage, form: PageForm, { config: addresses }: SiteContext, board?: number) {
  const body = representPage(page, form, addresses);
  return pageAnswer(body, addresses, { Link: canonicalLink(page, addresses) }, board);
}
