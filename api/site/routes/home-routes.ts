import * as z from 'zod';
import { LeaderboardQuery } from '../../../engine/contract/index.ts';
import { methodologyOf } from '../methodology-of.ts';
import { DEFAULT_HOME_LIMIT, homePage } from '../pages/home.ts';
import { formFor, pageAnswer } from '../render/answer-page.ts';
import { defineRoute } from '../site-context.ts';
import { BOARD_PAGE_CACHE, pageRoute } from './page-route.ts';

const { window, limit } = LeaderboardQuery.shape;

/** The board page, rendered once for each board version, choice and form. */
export const getHomePage = defineRoute({
  ...pageRoute('site', '/', 'getHomePage', 'The board'),
  query: z.looseObject({ window, limit: limit.unwrap().default(DEFAULT_HOME_LIMIT) }),
  problems: ['not_acceptable', 'window_invalid', 'limit_not_an_integer', 'limit_out_of_bounds'],
  cache: BOARD_PAGE_CACHE,
  fastPath: { forMs: Number.POSITIVE_INFINITY },
  handle: ({ query }, { ctx, header }) => {
    const form = formFor(header('accept'));
    const view = ctx.board.view();
    const choice = { window: query.window, limit: query.limit };
    const { body, link } = ctx.pages.prepared(`home ${choice.window} ${choice.limit}`, view.version, form, () =>
      homePage(view, methodologyOf(view), choice),
    );
    return pageAnswer(body, ctx.config, { Link: link }, view.version);
  },
});
