import * as z from 'zod';
import {
  LeaderboardQuery,
  MAX_LEADERBOARD_LIMIT,
  operatorsQuery,
  type Window,
  windowSentence,
} from '../../../engine/contract/index.ts';
import type { BoardPage } from '../../../engine/ranking/index.ts';
import { html } from '../../html.ts';
import { fromStorage } from '../../http/problem.ts';
import { BOARD_PAGE_CACHE, definePage, methodologyOf } from '../page.ts';
import type { Ref } from '../render/addresses.ts';
import { m, time } from '../render/inline.ts';
import type { SitePage } from '../render/page-text.ts';
import { bullets, lede, type Part, prose } from '../render/parts.ts';
import { followsBoard } from './board-pages.ts';
import { boardTable } from './board-table.ts';
import { namesText, windowField, windowParts, windowQuery } from './forms.ts';

/** Ranks any list of operators among themselves; `view=screen` shows it in large type, for a screen in a room. */
export const list = definePage({
  surface: 'site',
  path: '/list',
  operationId: 'getListPage',
  summary: 'A list of operators',
  unindexed: true,
  query: z.object({
    window: LeaderboardQuery.shape.window,
    operators: operatorsQuery.optional(),
    view: z.literal('screen').optional(),
  }),
  problems: ['window_invalid', 'operators_invalid', 'validation_failed'],
  cache: BOARD_PAGE_CACHE,
  async content({ query: { window, operators, view } }, { board }) {
    if (operators === undefined) return { make: formPage };
    const { version } = board.view();
    const request = { window, limit: MAX_LEADERBOARD_LIMIT, start: { operators }, at: null };
    const page = await fromStorage(() => board.page(request));
    if (page.kind !== 'page') throw new Error(`a list has no page: ${page.kind}`);
    return { make: () => listPage(page, operators, window, view === 'screen'), board: version };
  },
});

const FRAME = {
  surface: 'site',
  indexed: false,
  area: 'Board',
  width: 'tables',
  description: 'Operators of the Upsilon leaderboard, ranked among themselves.',
} as const;

function formPage(): SitePage {
  return {
    ...FRAME,
    canonical: 'site:/list',
    title: 'A board of some operators',
    parts: [
      lede(
        m`Give up to ${MAX_LEADERBOARD_LIMIT} codenames: they are ranked among themselves, at an address that you can share.`,
      ),
      formPart('', 'all_time'),
    ],
  };
}

function formPart(operators: string, window: Window): Part {
  return {
    html: (to) =>
      html`<form action="${to.near('site:/list')}" method="get"><label><span>Codenames, separated by commas</span><input name="operators" value="${operators}" required autocomplete="off" autocapitalize="none" spellcheck="false"></label>${windowField(window)}<button>Show</button></form>`,
    markdown: () => 'Request `/list?operators=CODENAME,CODENAME`.',
  };
}

function listPage(page: BoardPage, operators: readonly string[], window: Window, isScreen: boolean): SitePage {
  const { rows, notFound, unranked, boardAt } = page;
  const asked = operators.map((codename) => codename.toLowerCase()).join(',');
  const address = (other: Window, more = ''): Ref => `site:/list${windowQuery(other, `operators=${asked}${more}`)}`;
  const title = namesText(rows.length > 0 ? rows.map(({ codename }) => codename) : [...unranked, ...notFound]);
  const board =
    rows.length === 0
      ? prose(m`None of them is ranked ${windowSentence(window)}.`)
      : boardTable(`${title}, ranked among themselves`, rows, methodologyOf(page).tiers, window);
  const absent = [
    ...unranked.map(
      (codename) => m`[${codename}](site:/operators/${codename}) is not ranked ${windowSentence(window)}.`,
    ),
    ...notFound.map((codename) => m`No operator has the codename ${codename}.`),
  ];
  const card: Ref = `site:/board.png${windowQuery(window, `operators=${asked}`)}`;
  const frame = { ...FRAME, canonical: address(window), card, title };
  const shown = [board, ...(absent.length === 0 ? [] : [bullets(...absent)])];
  if (isScreen) {
    const updated = prose(m`By usage ${windowSentence(window)}. Updated ${time(boardAt)}.`);
    return { ...frame, ...followsBoard(page.version, window), screen: true, parts: [...shown, updated] };
  }
  return {
    ...frame,
    above: m`[Board](site:/) / List`,
    parts: [
      lede(
        m`Ranked among themselves, by usage ${windowSentence(window)}; their rank among all is below it. Updated ${time(boardAt)}.`,
      ),
      ...windowParts(window, (other) => address(other)),
      ...shown,
      prose(m`[In large type, for a screen](${address(window, '&view=screen')}), which other sites may frame.`),
      formPart(asked, window),
    ],
  };
}
