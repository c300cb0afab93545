import * as z from 'zod';
import { LeaderboardQuery, type Window, windowLabel, windowSentence } from '../../../engine/contract/index.ts';
import type { OperatorHistory, Profile, WindowScore } from '../../../engine/ranking/index.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import { fromStorage } from '../../http/problem.ts';
import { BOARD_PAGE_CACHE, definePage } from '../page.ts';
import type { Ref, Resolver } from '../render/addresses.ts';
import { type Inline, m, text } from '../render/inline.ts';
import { movement, percentile, readable, readableOr, scoreOr, tierBadge } from '../render/numbers.ts';
import { heading, lede, type Part, prose, shownOnly, writtenOnly } from '../render/parts.ts';
import type { SitePage } from '../render/site-page.ts';
import { cell, table } from '../render/table.ts';
import { operatorLink, platformName } from './board-table.ts';
import { historyParts } from './history-parts.ts';
import { operatorName, TypedCodename } from './operator.ts';
import { windowChoices, windowQuery } from './window-choices.ts';

/** Two operators side by side; the form when a codename is missing or unknown. */
export const compare = definePage({
  surface: 'site',
  path: '/compare',
  operationId: 'getComparePage',
  summary: 'Compare two operators',
  listed: { title: 'Compare two operators', about: 'Add a and b, two codenames, and a window.' },
  nav: 'Compare',
  query: z.looseObject({ a: TypedCodename, b: TypedCodename, window: LeaderboardQuery.shape.window }),
  problems: ['validation_failed', 'window_invalid'],
  cache: BOARD_PAGE_CACHE,
  async content({ query: { a, b, window } }, { board }) {
    const read = async (codename: string): Promise<Compared | null> => {
      if (codename === '') return null;
      const [profile, history] = await fromStorage(() =>
        Promise.all([board.profile(codename), board.history(codename, window)]),
      );
      return profile === null || history === null ? null : { profile, history };
    };
    const [one, other] = await Promise.all([read(a), read(b)]);
    if (one && other) return { make: () => comparePage(one, other, window) };
    const unknown = [one ? '' : a, other ? '' : b].filter((codename) => codename !== '');
    return { make: () => compareFormPage({ a, b, window }, unknown) };
  },
});

/** One side of a comparison. */
interface Compared {
  readonly profile: Profile;
  readonly history: OperatorHistory;
}

/** The typed codenames and the chosen window. */
interface CompareAsked {
  readonly a: string;
  readonly b: string;
  readonly window: Window;
}

/** The form, with a note for each unknown codename. */
function compareFormPage(asked: CompareAsked, unknown: readonly string[]): SitePage {
  return {
    ...FRAME,
    canonical: 'site:/compare',
    title: 'Compare two operators',
    parts: [
      lede(m`Two operators side by side: scores, tiers, ranks and movement.`),
      ...unknown.map((codename) => prose(m`No operator has the codename **${codename}**.`)),
      shownOnly((to) => compareForm(asked, to)),
      writtenOnly(m`Request \`/compare?a=CODENAME&b=CODENAME\`.`),
    ],
  };
}

/** Two operators side by side. */
function comparePage(a: Compared, b: Compared, window: Window): SitePage {
  const [one, other] = [a.profile, b.profile];
  const address = (asked: Window): Ref =>
    `site:/compare${windowQuery(asked, `a=${encodeURIComponent(one.codename)}&b=${encodeURIComponent(other.codename)}`)}`;
  const names = `${one.codename} and ${other.codename}`;
  return {
    ...FRAME,
    canonical: address(window),
    title: window === 'all_time' ? names : `${names}, ${windowLabel(window)}`,
    heading: text(names),
    above: m`[Compare](site:/compare)`,
    parts: [
      lede(verdict(one, other, window)),
      shownOnly((to) => html`<div class="choices">${windowChoices(window, address, to)}</div>`),
      writtenOnly(m`By the counts ${windowSentence(window)}. Other windows: add \`window\`.`),
      comparison(one, other, window),
      heading(2, 'Over time'),
      ...historyParts([a.history, b.history]),
      heading(2, 'Compare others'),
      shownOnly((to) => compareForm({ a: one.codename, b: '', window }, to)),
      writtenOnly(m`Request \`/compare?a=CODENAME&b=CODENAME\`.`),
    ],
  };
}

const FRAME = {
  surface: 'site',
  area: 'Compare',
  width: 'tables',
  description: 'Two AI operators of the Upsilon leaderboard side by side.',
} as const;

function compareForm({ a, b, window }: CompareAsked, to: Resolver): Html {
  return html`<form action="${to.near('site:/compare')}" method="get">${field('One operator', 'a', a)}${field('Another', 'b', b)}${window === 'all_time' ? NOTHING : html`<input type="hidden" name="window" value="${window}">`}<button>Compare</button></form>`;
}

function field(label: string, key: string, value: string): Html {
  return html`<label><span>${label}</span><input name="${key}" value="${value}" required minlength="3" maxlength="32" placeholder="codename" autocomplete="off" autocapitalize="none" spellcheck="false"></label>`;
}

function verdict(one: Profile, other: Profile, window: Window): Inline {
  const [x, y] = [one.windows[window].yield_, other.windows[window].yield_];
  if (x === null || y === null) {
    const missing = x === null ? one : other;
    return m`${operatorName(missing)} has no score by the counts ${windowSentence(window)}, so the two cannot be compared.`;
  }
  if (x === y) return m`${operatorName(one)} and ${operatorName(other)} have the same Yield.`;
  const [ahead, behind, more, less] = x > y ? [one, other, x, y] : [other, one, y, x];
  const times = less === 0 ? m`, whose Yield is 0` : m`: ${readable(more / less)} times the Yield`;
  return m`${operatorName(ahead)} is ahead of ${operatorName(behind)}${times}.`;
}

/** A row of the table: the value of each side, and the measure that decides who is ahead. */
interface Row {
  readonly label: string;
  readonly says: (score: WindowScore, profile: Profile) => Inline;
  /** Higher is better; null where there is nothing to compare. */
  readonly by?: (score: WindowScore) => number | null;
  /** Whether the ratio of the two values is meaningful. */
  readonly times?: boolean;
}

const ROWS: readonly Row[] = [
  { label: 'Operator', says: (_, { codename }) => operatorLink(codename) },
  {
    label: 'Rank',
    says: ({ rank }) => readableOr(rank, 'not ranked'),
    by: ({ rank }) => (rank === null ? null : -rank),
  },
  { label: 'Yield', says: ({ yield_ }) => scoreOr(yield_), by: ({ yield_ }) => yield_, times: true },
  { label: 'Leverage', says: ({ leverage }) => scoreOr(leverage), by: ({ leverage }) => leverage, times: true },
  { label: 'Velocity', says: ({ velocity }) => scoreOr(velocity), by: ({ velocity }) => velocity, times: true },
  { label: 'Tier', says: ({ class_tier: tier }) => (tier === null ? readableOr(null) : tierBadge(tier)) },
  { label: 'Percentile', says: ({ percentile: share }) => percentile(share), by: ({ percentile: share }) => share },
  { label: 'Last 24 hours', says: ({ movement_24h }) => movement(movement_24h) },
  { label: 'Last 7 days', says: ({ movement_7d }) => movement(movement_7d) },
  { label: 'Platform', says: (_, { platform }) => platformName(platform, 'not specified') },
];

function comparison(one: Profile, other: Profile, window: Window): Part {
  const [first, second] = [one.windows[window], other.windows[window]];
  return table({
    caption: `${one.codename} and ${other.codename} side by side, by the counts ${windowSentence(window)}`,
    className: 'sides',
    columns: [
      { label: windowLabel(window), is: ['row'] },
      { label: one.codename, is: ['number'] },
      { label: other.codename, is: ['number'] },
      { label: 'Ahead', is: ['roomy'] },
    ],
    rows: ROWS.map((row) => ({
      cells: [
        cell(row.label),
        cell(row.says(first, one)),
        cell(row.says(second, other)),
        cell(leader(row, [one.codename, first], [other.codename, second])),
      ],
    })),
  });
}

type Side = readonly [codename: string, score: WindowScore];

function leader({ by, times = false }: Row, [one, first]: Side, [other, second]: Side): Inline {
  const [x, y] = [by?.(first) ?? null, by?.(second) ?? null];
  if (x === null || y === null) return text('');
  if (x === y) return text('equal');
  const [name, more, less] = x > y ? [one, x, y] : [other, y, x];
  return text(times && less > 0 ? `${name}, ${readable(more / less)} times` : name);
}
