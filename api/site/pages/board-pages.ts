import * as z from 'zod';
import { readableMinute } from '../../../config/units.ts';
import {
  coded,
  MAX_LEADERBOARD_LIMIT,
  MAX_OFFSET,
  type Window,
  windowSentence,
} from '../../../engine/contract/index.ts';
import { PLATFORMS, type Platform } from '../../../engine/contract/platforms.ts';
import type { BoardPage, KeptBoard } from '../../../engine/ranking/index.ts';
import type { Tier } from '../../../engine/ranking/methodologies/index.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import { readPage } from '../../v1/leaderboard/get-leaderboard.ts';
import { pagesBeside } from '../../v1/leaderboard/page-links.ts';
import { type Elsewhere, methodologyOf, type PageContent } from '../page.ts';
import type { Ref, Resolver } from '../render/addresses.ts';
import { type Inline, link, m, text, time } from '../render/inline.ts';
import { readable } from '../render/numbers.ts';
import type { SitePage } from '../render/page-text.ts';
import { heading, lede, type Part, prose, section, shownOnly } from '../render/parts.ts';
import type { SiteContext } from '../site-context.ts';
import { boardTable, rowAnchor } from './board-table.ts';
import { choiceList, findForm, windowChoices, windowField, windowQuery } from './forms.ts';

/** Rows of a page when no number is asked for. */
export const DEFAULT_LIMIT = 25;

const LIMITS_OFFERED = [10, DEFAULT_LIMIT, 50, MAX_LEADERBOARD_LIMIT] as const;

/** A place on the board, from 1 on. */
export const PlaceQuery = z
  .string()
  .regex(/^[1-9]\d{0,9}$/, coded('place_invalid'))
  .transform(Number)
  .pipe(z.int().max(MAX_OFFSET, coded('place_invalid')))
  .optional();

/** A share of the ranked operators, in per cent. */
export const PercentileQuery = z
  .string()
  .regex(/^\d{1,3}(?:\.\d{1,6})?$/, coded('percentile_invalid'))
  .transform(Number)
  .pipe(z.number().max(100, coded('percentile_invalid')))
  .optional();

/** What a page of the board shows. */
export interface BoardChoice {
  readonly window: Window;
  readonly limit: number;
  /** The place of its first row; the first without it. */
  readonly from?: number | undefined;
  readonly at?: string | undefined;
  /** Ranked by the counts of this AI tool alone. */
  readonly platform?: Platform | undefined;
  /** The page of a league's board, in place of that of all; its length is not chosen. */
  readonly league?: Ref;
  /** Of a league: the first day of the season that is ranked in place of a window. */
  readonly season?: string | undefined;
  /** In large type. */
  readonly view?: 'screen' | undefined;
}

/** The address of a page of the board. Default values are left out: one page has one address. */
export function boardRef(choice: BoardChoice, anchor = ''): Ref {
  const { window, limit, from = 1, at, platform, league, season, view } = choice;
  const root: Ref = league ?? `site:/${platform === undefined ? '' : `platform/${platform}`}`;
  const parts = [
    ...(league === undefined || platform === undefined ? [] : [`platform=${platform}`]),
    ...(season === undefined ? [] : [`season=${season}`]),
    ...(from === 1 ? [] : [`from=${from}`]),
    ...(limit === DEFAULT_LIMIT || league !== undefined ? [] : [`limit=${limit}`]),
    ...(at === undefined ? [] : [`at=${encodeURIComponent(at)}`]),
    ...(view === undefined ? [] : [`view=${view}`]),
  ];
  return `${root}${windowQuery(window, parts.join('&'))}${anchor}`;
}

interface PlaceAsked extends BoardChoice {
  readonly around?: string | undefined;
  readonly tier?: string | undefined;
  readonly percentile?: number | undefined;
}

/** Leads to the page that has an operator's row, the first row of a tier, or that of a percentile. */
export async function leadToPlace(ctx: SiteContext, asked: PlaceAsked): Promise<Elsewhere> {
  const { window, limit, around, at } = asked;
  if (around === undefined) {
    const place = await fromStorage(() => placeOf(ctx, asked));
    return { leadsTo: boardRef({ window, limit, from: pageOf(place, limit) }) };
  }
  const page = await readPage(ctx, { window, limit: 1, start: { around }, at });
  const from = pageOf(page.offset ?? 0, limit);
  return { leadsTo: boardRef({ window, limit, from, at }, `#${rowAnchor(page.rows[0]?.codename ?? around)}`) };
}

/** The place of the first row of the page that has a row (both pages and rows begin at 0; places at 1). */
function pageOf(row: number, limit: number): number {
  return Math.floor(row / limit) * limit + 1;
}

/** The 0-based place of the first row of a tier, or of the first row of a percentile. */
async function placeOf(ctx: SiteContext, { window, tier, percentile = 0 }: PlaceAsked): Promise<number> {
  return ctx.board.withBoardView(async ({ tierRanges, view }) => {
    const total = view.totals[window];
    const last = Math.max(0, total - 1);
    if (tier === undefined) return Math.min(last, Math.floor(total * (1 - percentile / 100)));
    const ranges = await tierRanges(window);
    const range = ranges.find(({ name }) => name === tier.toUpperCase().replace(/ $/, '+'));
    if (range !== undefined) return Math.min(last, range.start);
    const names = ranges.map(({ name }) => name).toReversed();
    throw new Problem('tier_unknown', { detail: `There is no tier of this name: there are ${names.join(', ')}.` });
  });
}

type PageChoice = BoardChoice & { readonly from: number };

/** A page beyond the first, one of a kept board, or one of an AI tool's. */
export async function deepPage(ctx: SiteContext, choice: PageChoice): Promise<PageContent> {
  const { window, limit, from, at, platform } = choice;
  const board = ctx.board.view().version;
  const page = await readPage(ctx, { window, limit, start: { offset: from - 1 }, at, platform });
  const kept = page.version === null ? await ctx.board.withBoardView(async ({ keptBoards }) => keptBoards()) : [];
  return { make: () => deepPageOf(choice, page, kept), board };
}

function deepPageOf(choice: PageChoice, page: BoardPage, kept: readonly KeptBoard[]): SitePage {
  const { window, from, platform } = choice;
  const { rows, total, movementSince } = page;
  const until = Math.min(total, from + choice.limit - 1);
  const places = m`Places **${readable(from)}** to **${readable(until)}** of **${readable(total)}**, by usage ${windowSentence(window)}.`;
  const those = until < from ? m`The board ends at place **${readable(total)}**.` : places;
  const { lead, after, ...words } =
    platform === undefined ? wordsOfAll(choice, page, those, kept) : wordsOfTool(choice, page, those, platform);
  const on = platform === undefined ? '' : ` on ${platform}`;
  const caption = `Places ${readable(from)} to ${readable(until)} of ${readable(total)}${on} ${windowSentence(window)}`;
  const table = boardTable(caption, rows, methodologyOf(page).tiers, window, { moves: movementSince !== null });
  return {
    surface: 'site',
    canonical: boardRef(choice),
    area: 'Board',
    width: 'tables',
    above: m`[Board](site:/)`,
    ...words,
    parts: [
      lede(lead),
      shownOnly((to) => choicesHtml(choice, to)),
      ...(rows.length === 0 ? [] : [table]),
      pagesPart(choice, total),
      ...after,
    ],
  };
}

/** What a page of the board of all says, now or at a kept hour. */
function wordsOfAll(choice: PageChoice, page: BoardPage, those: Inline, kept: readonly KeptBoard[]) {
  const { window, from } = choice;
  const { version, boardAt } = page;
  const description = `AI operators ranked by Yield ${windowSentence(window)}, from place ${readable(from)} on.`;
  if (version !== null)
    return {
      indexed: false,
      title: `The board from place ${readable(from)} on`,
      description,
      lead: m`${those} Updated ${time(boardAt)}.`,
      after: [placesPart(choice, methodologyOf(page).tiers)],
    };
  return {
    indexed: false,
    title: `The board of ${readableMinute(boardAt)}`,
    heading: m`The board of ${time(boardAt)}`,
    description,
    lead: m`${those} Names and tools are those of today. Operators that have left or hidden themselves since leave a gap. What was found since changes nothing here.`,
    after: [keptForm(choice, boardAt, kept)],
  };
}

/** What a page of an AI tool's board says. */
function wordsOfTool({ window, from }: PageChoice, page: BoardPage, those: Inline, platform: Platform) {
  const { rows, total, version, boardAt } = page;
  const by = `by their counts of ${platform} alone`;
  const counted = m`**${readable(total)}** operators with counts of ${platform}, ranked by these counts alone, ${windowSentence(window)}.`;
  return {
    card: `site:/board.png${windowQuery(window, `platform=${platform}`)}`,
    ...followsBoard(version, window, platform),
    indexed: from === 1,
    title: from > 1 ? `Operators of ${platform} from place ${readable(from)} on` : `Operators of ${platform}`,
    heading: text(`Who gets the most out of ${platform}?`),
    description: `AI operators ranked by Yield ${windowSentence(window)}, ${by}.`,
    lead:
      total === 0
        ? m`No operator is ranked by counts of ${platform} ${windowSentence(window)} yet.`
        : m`${counted}${rows.length === 0 ? m` ${those}` : ''}`,
    after: [
      heading(2, 'What the numbers mean'),
      prose(
        m`Everybody with counts of ${platform} is here, whatever else they use: the Yield, the floors and the witnessed days are those of this tool alone. Places that need more witnessed days of this tool have no number yet ([how a place is settled](login:/methodology#settled)). The tools count differently, so Yields are best compared within one of them. Updated ${time(boardAt)}.`,
      ),
      platformsPart({ window, platform }),
    ],
  } as const;
}

/** The events that a page of the newest board follows. */
export function followsBoard(version: number | null, window: Window, platform?: Platform): Pick<SitePage, 'follows'> {
  const more = platform === undefined ? '' : `platform=${platform}`;
  return { follows: { events: `site:/events${windowQuery(window, more)}`, version } };
}

/** Window, length, and the search for an operator. */
export function choicesHtml(choice: BoardChoice, to: Resolver): Html {
  const { window, limit, at, platform } = choice;
  const kept = { ...(at === undefined ? {} : { at }), ...(platform === undefined ? {} : { platform }) };
  const windows = windowChoices(window, (other) => boardRef({ window: other, limit, ...kept }), to);
  const lengths = LIMITS_OFFERED.map(
    (other) => [`${other}`, boardRef({ window, limit: other, ...kept }), other === limit, 'operators'] as const,
  );
  return html`<div class="choices">${windows}<div class="lengths"><span aria-hidden="true">Show</span>${choiceList('Length', lengths, to)}</div>${findForm(to, window)}</div>`;
}

/** Links to the first, previous, next and last page. */
export function pagesPart(choice: BoardChoice, total: number): Part {
  const { limit, from = 1 } = choice;
  const refOf = (place: number): Ref => boardRef({ ...choice, from: place });
  const { first, prev, next, last } = pagesBeside(from - 1, limit, total);
  const before = prev === null ? [] : Object.entries({ First: first, Previous: prev });
  const after = next === null ? [] : Object.entries({ Next: next, Last: last });
  const pages = [...before, ...after].map(([label, offset]) => [label, offset + 1] as const);
  if (pages.length === 0) return text('');
  const links = pages.map(([label, at], index) => m`${index === 0 ? '' : ' · '}${link(label, refOf(at))}`);
  return {
    html: (to) =>
      html`<nav class="pages" aria-label="Pages"><ul>${pages.map(([label, at]) => html`<li><a href="${to.near(refOf(at))}">${label} <span>${readable(at)}–${readable(Math.min(total, at + limit - 1))}</span></a></li>`)}</ul></nav>`,
    markdown: (to) => links.map((each) => each.markdown(to)).join(''),
  };
}

/** The same board, or that of a league, by the counts of each AI tool; of a league also by those of all. */
export function platformsPart({ window, platform: current, league }: Omit<BoardChoice, 'limit'>): Part {
  const board = { window, limit: DEFAULT_LIMIT, ...(league && { league }) };
  const links = PLATFORMS.map((platform, index) => {
    const shown = platform === current ? m`**${platform}**` : link(platform, boardRef({ ...board, platform }));
    return m`${index === 0 ? '' : ' · '}${shown}`;
  });
  const all = league === undefined || current === undefined ? m`` : m` [All tools](${boardRef(board)}).`;
  return prose(m`By the counts of one AI tool alone: ${links}.${all}`);
}

/** Ways to a place: by number, by tier, by share. */
export function placesPart(choice: BoardChoice, tiers: readonly Tier[]): Part {
  const { window, limit } = choice;
  const more = windowQuery(window, limit === DEFAULT_LIMIT ? '' : `limit=${limit}`).replace('?', '&');
  const links = tiers
    .toReversed()
    .map(
      ({ name }, index) =>
        m`${index === 0 ? '' : ' · '}${link(name, `site:/?tier=${encodeURIComponent(name)}${more}`)}`,
    );
  const place = html`<input name="from" inputmode="numeric" required pattern="[1-9][0-9]{0,9}" maxlength="10" autocomplete="off">`;
  return section(
    'places',
    boardForm(choice, 'Go to place', place, 'Go'),
    prose(m`Where a tier begins: ${links}. [The middle of the board](site:/?percentile=50${more}).`),
  );
}

/** A choice among the kept boards. */
function keptForm(choice: BoardChoice, shown: number, kept: readonly KeptBoard[]): Part {
  const options = kept.toReversed().map(({ at }) => {
    const hour = `${new Date(at).toISOString().slice(0, 13)}:00Z`;
    return html`<option value="${hour}"${at === shown ? html` selected` : NOTHING}>${readableMinute(at)}</option>`;
  });
  const { window, limit } = choice;
  return section(
    'places',
    boardForm(choice, 'Another board', html`<select name="at">${options}</select>`, 'Show'),
    prose(m`[The newest board](${boardRef({ window, limit })}). As data: [kept boards](base:/boards).`),
  );
}

/** A form with one field that leads to another page of the board. */
function boardForm({ window, limit }: BoardChoice, label: string, field: Html, button: string): Part {
  const length = limit === DEFAULT_LIMIT ? NOTHING : html`<input type="hidden" name="limit" value="${limit}">`;
  return shownOnly(
    (to) =>
      html`<form action="${to.near('site:/')}" method="get"><label><span>${label}</span>${field}</label>${windowField(window)}${length}<button>${button}</button></form>`,
  );
}

/** Words that lead to a kept board, where there is one. */
export function keptLink(words: string, since: string | null, window: Window): Inline {
  if (since === null) return text(words);
  return link(words, boardRef({ window, limit: DEFAULT_LIMIT, at: `${since.slice(0, 13)}:00Z` }));
}
