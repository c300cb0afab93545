import * as z from 'zod';
import { LeaderboardQuery, windowSentence } from '../../../engine/contract/index.ts';
import { PLATFORMS, type Platform } from '../../../engine/contract/platforms.ts';
import type { BoardPage } from '../../../engine/ranking/index.ts';
import { fromStorage } from '../../http/problem.ts';
import { REPEATED_FOR_MS } from '../../v1/operators.ts';
import { BOARD_PAGE_CACHE, definePage, methodologyOf } from '../page.ts';
import { m, text, time } from '../render/inline.ts';
import { readable } from '../render/numbers.ts';
import type { SitePage } from '../render/page-text.ts';
import { heading, lede, prose, shownOnly } from '../render/parts.ts';
import {
  type BoardChoice,
  boardRef,
  choicesHtml,
  DEFAULT_LIMIT,
  followsBoard,
  PlaceQuery,
  pagesPart,
  platformsPart,
} from './board-pages.ts';
import { boardTable } from './board-table.ts';
import { windowQuery } from './forms.ts';

const { window: Asked, limit: Limit } = LeaderboardQuery.shape;

/** The board of one AI tool, in pages. */
export const platformPage = definePage({
  surface: 'site',
  path: '/platform/{platform}',
  operationId: 'getPlatformPage',
  summary: 'The board of an AI tool',
  params: { schema: z.object({ platform: z.enum(PLATFORMS) }), unmatched: 'path_unknown' },
  query: z.object({ window: Asked, limit: Limit.unwrap().default(DEFAULT_LIMIT), from: PlaceQuery }),
  problems: ['window_invalid', 'limit_not_an_integer', 'limit_out_of_bounds', 'place_invalid', 'path_unknown'],
  cache: BOARD_PAGE_CACHE,
  fastPath: { forMs: REPEATED_FOR_MS },
  async content({ params: { platform }, query }, { board }) {
    const { version } = board.view();
    const { window, limit, from = 1 } = query;
    const request = { window, limit, start: { offset: from - 1 }, at: null, platform };
    const page = await fromStorage(() => board.page(request));
    if (page.kind !== 'page') throw new Error(`the board of ${platform} has no page: ${page.kind}`);
    return { make: () => pageOf({ window, limit, from, platform }, page), board: version };
  },
});

function pageOf(
  choice: BoardChoice & { readonly from: number; readonly platform: Platform },
  page: BoardPage,
): SitePage {
  const { window, from, limit, platform } = choice;
  const { rows, total, boardAt } = page;
  const until = Math.min(total, from + limit - 1);
  const caption = `Places ${readable(from)} to ${readable(until)} of ${readable(total)} on ${platform} ${windowSentence(window)}`;
  return {
    surface: 'site',
    canonical: boardRef(choice),
    card: `site:/board.png${windowQuery(window, `platform=${platform}`)}`,
    ...followsBoard(page.version, window, platform),
    ...(from > 1 ? { indexed: false } : {}),
    area: 'Board',
    width: 'tables',
    title: from > 1 ? `Operators of ${platform} from place ${readable(from)} on` : `Operators of ${platform}`,
    heading: text(`Who gets the most out of ${platform}?`),
    above: m`[Board](site:/)`,
    description: `AI operators ranked by Yield ${windowSentence(window)}, by their counts of ${platform} alone.`,
    parts: [
      lede(
        total === 0
          ? m`No operator is ranked by counts of ${platform} ${windowSentence(window)} yet.`
          : m`**${readable(total)}** operators with counts of ${platform}, ranked by these counts alone, ${windowSentence(window)}.`,
      ),
      shownOnly((to) => choicesHtml(choice, to)),
      ...(rows.length === 0 && total > 0 ? [prose(m`The board ends at place **${readable(total)}**.`)] : []),
      ...(rows.length === 0 ? [] : [boardTable(caption, rows, methodologyOf(page).tiers, window, { moves: false })]),
      pagesPart(choice, total),
      heading(2, 'What the numbers mean'),
      prose(
        m`Everybody with counts of ${platform} is here, whatever else they use: the Yield, the floors and the witnessed days are those of this tool alone. Who needs more days than were witnessed of this tool is not numbered yet ([how a place is settled](login:/methodology#settled)). The tools count differently, so Yields are best compared within one of them. This board is made again and again; this one is of ${time(boardAt)}.`,
      ),
      platformsPart({ window, platform }),
    ],
  };
}
