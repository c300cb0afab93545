import * as z from 'zod';
import { fromStorage } from '../../http/problem.ts';
import { methodologyOf } from '../methodology-of.ts';
import { type Calculation, countsTyped } from '../pages/calculator.ts';
import { methodologyPage } from '../pages/methodology.ts';
import { canonicalLink, formFor, pageAnswer, representPage } from '../render/answer-page.ts';
import { defineRoute, type SiteContext } from '../site-context.ts';
import { BOARD_PAGE_CACHE, pageRoute } from './page-route.ts';

/** Maximum characters of a typed number. */
const MAX_TYPED = 40;

const Typed = z.string().max(MAX_TYPED).optional();

/** No operator has this number: the calculator's counts belong to no operator. */
const NOBODY = 0xffff_ffff;

/** Contract, part 4.6. */
export const getMethodologyPage = defineRoute({
  ...pageRoute('login', '/methodology', 'getMethodologyPage', 'How the board is computed'),
  query: z.looseObject({ input: Typed, output: Typed, cache_read: Typed }),
  problems: ['not_acceptable', 'validation_failed'],
  cache: BOARD_PAGE_CACHE,
  handle: async ({ query }, { ctx, header }) => {
    const form = formFor(header('accept'));
    const { config: addresses, board, pages } = ctx;
    const view = board.view();
    const methodology = methodologyOf(view);
    const typed = {
      ...(query.input === undefined ? {} : { input: query.input }),
      ...(query.output === undefined ? {} : { output: query.output }),
      ...(query.cache_read === undefined ? {} : { cache_read: query.cache_read }),
    };
    if (Object.keys(typed).length === 0) {
      const { body, link } = pages.prepared('methodology', -methodology.id, form, () =>
        methodologyPage(methodology, view, { typed, rank: null }),
      );
      return pageAnswer(body, addresses, { Link: link });
    }
    const page = methodologyPage(methodology, view, { typed, rank: await rankOf(ctx, typed) });
    const body = representPage(page, form, addresses);
    return pageAnswer(body, addresses, { Link: canonicalLink(page, addresses) });
  },
});

async function rankOf({ board }: SiteContext, typed: Calculation['typed']): Promise<number | null> {
  const counts = countsTyped(typed);
  return counts === null ? null : fromStorage(() => board.rankOfTotals(NOBODY, counts));
}
