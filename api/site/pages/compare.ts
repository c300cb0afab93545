import * as z from 'zod';
import { LeaderboardQuery, type Window, windowLabel, windowSentence } from '../../../engine/contract/index.ts';
import type { BoardReader, Profile, WindowScore } from '../../../engine/ranking/index.ts';
import { html } from '../../html.ts';
import { fromStorage } from '../../http/problem.ts';
import { BOARD_PAGE_CACHE, definePage } from '../page.ts';
import { operatorRef, type Ref } from '../render/addresses.ts';
import { type Inline, link, m, text } from '../render/inline.ts';
import { movement, percentile, readable, readableOr, scoreOr, tierBadge } from '../render/numbers.ts';
import type { SitePage } from '../render/page-text.ts';
import { heading, lede, type Part, prose, shownOnly, table, writtenOnly } from '../render/parts.ts';
import { platformName } from './board-table.ts';
import { codenameField, TypedCodename, windowField, windowParts, windowQuery } from './forms.ts';
import { historyParts } from './history-parts.ts';
import { operatorName } from './operator.ts';
import { flagMarks } from './reliance.ts';

/** Two operators side by side; the form when a codename is missing or unknown. */
export const compare = definePage({
  surface: 'site',
  path: '/compare',
  operationId: 'getComparePage',
  summary: 'Compare two operators',
  listed: { title: 'Compare two operators', about: 'Add a and b, two codenames, and a window.' },
  nav: 'Compare',
  query: z.object({ a: TypedCodename, b: TypedCodename, window: LeaderboardQuery.shape.window }),
  problems: ['validation_failed', 'window_invalid'],
  cache: BOARD_PAGE_CACHE,
  async content({ query: { a, b, window } }, { board }) {
    const [one, other] = await Promise.all([readSide(board, a, window), readSide(board, b, window)]);
    if (one && other) return { make: () => comparePage(one, other, window) };
    const unknown = [one ? '' : a, other ? '' : b].filter((codename) => codename !== '');
    return { make: () => compareFormPage({ a, b, window }, unknown) };
  },
});

/** One side of a comparison; null when no operator has the codename. */
async function readSide(board: BoardReader, codename: string, window: Window) {
  if (codename === '') return null;
  const [profile, history] = await fromStorage(() =>
    Promise.all([board.profile(codename), board.history(codename, window)]),
  );
  return profile && history && { profile, history };
}

type Compared = NonNullable<Awaited<ReturnType<typeof readSide>>>;

type CompareAsked = Readonly<Record<'a' | 'b', string>> & { readonly window: Window };

/** The form, with a note for each unknown codename. */
function compareFormPage(asked: CompareAsked, unknown: readonly string[]): SitePage {
  return {
    ...FRAME,
    canonical: 'site:/compare',
    title: 'Compare two operators',
    parts: [
      lede(m`See two operators side by side: scores, tiers, ranks and movement.`),
      ...unknown.map((codename) => prose(m`No operator has the codename **${codename}**.`)),
      ...compareForm(asked),
    ],
  };
}

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
      ...windowParts(window, address),
      comparison(one, other, window),
      heading(2, 'Over time'),
      ...historyParts([a.history, b.history]),
      heading(2, 'Compare others'),
      ...compareForm({ a: one.codename, b: '', window }),
    ],
  };
}

const FRAME = {
  surface: 'site',
  area: 'Compare',
  width: 'tables',
  description: 'Two AI operators on the Upsilon leaderboard, side by side.',
} as const;

function compareForm({ a, b, window }: CompareAsked): Part[] {
  return [
    shownOnly(
      (to) =>
        html`<form action="${to.near('site:/compare')}" method="get">${codenameField('First operator', 'a', a)}${codenameField('Second operator', 'b', b)}${windowField(window)}<button>Compare</button></form>`,
    ),
    writtenOnly(m`Request \`/compare?a=CODENAME&b=CODENAME\`.`),
  ];
}

function verdict(one: Profile, other: Profile, window: Window): Inline {
  const [x, y] = [one.windows[window].yield_, other.windows[window].yield_];
  if (x === null || y === null) {
    const missing = x === null ? one : other;
    return m`${operatorName(missing)} has no score ${windowSentence(window)}, so the two cannot be compared.`;
  }
  if (x === y) return m`${operatorName(one)} and ${operatorName(other)} have the same Yield.`;
  const [ahead, behind, more, less] = x > y ? [one, other, x, y] : [other, one, y, x];
  const times = less === 0 ? m`, whose Yield is 0` : m` with ${readable(more / less)} times the Yield`;
  return m`${operatorName(ahead)} leads ${operatorName(behind)}${times}.`;
}

/** The value of each side, and the measure that decides who is ahead. */
type Row = readonly [
  label: string,
  says: (score: WindowScore, profile: Profile, window: Window) => Inline,
  /** Higher is better; null where there is nothing to compare. */
  by?: (score: WindowScore) => number | null,
  /** Whether the ratio of the two values is meaningful. */
  times?: boolean,
];

const ROWS: readonly Row[] = [
  ['Operator', (_, { codename }) => link(codename, operatorRef(codename))],
  ['Rank', ({ rank }) => readableOr(rank, 'not ranked'), ({ rank }) => rank && -rank],
  ['Yield', ({ yield_ }) => scoreOr(yield_), ({ yield_ }) => yield_, true],
  ['Leverage', ({ leverage }) => scoreOr(leverage), ({ leverage }) => leverage, true],
  ['Velocity', ({ velocity }) => scoreOr(velocity), ({ velocity }) => velocity, true],
  ['Tier', ({ class_tier }) => tierBadge(class_tier)],
  ['Percentile', ({ percentile: share }) => percentile(share), ({ percentile: share }) => share],
  ['Last 24 hours', ({ movement_24h }) => movement(movement_24h)],
  ['Last 7 days', ({ movement_7d }) => movement(movement_7d)],
  ['Plausibility', plausibility],
  ['Platform', (_, { platform }) => platformName(platform, 'not specified')],
];

/** The flags of a side, linked to their explanation. */
function plausibility(score: WindowScore, { codename }: Profile, window: Window): Inline {
  const [first, ...others] = flagMarks(score, codename, window);
  return first === undefined ? text('no flags') : others.reduce((marks, mark) => m`${marks} · ${mark}`, first);
}

function comparison(one: Profile, other: Profile, window: Window): Part {
  const [first, second] = [one.windows[window], other.windows[window]];
  return table({
    caption: `${one.codename} and ${other.codename} side by side, by usage ${windowSentence(window)}`,
    className: 'sides',
    columns: [
      { label: windowLabel(window), is: ['row'] },
      { label: one.codename, is: ['number'] },
      { label: other.codename, is: ['number'] },
      { label: 'Leader', is: ['roomy'] },
    ],
    rows: ROWS.map(([label, says, by = () => null, times = false]) => [
      label,
      says(first, one, window),
      says(second, other, window),
      leader([one.codename, by(first)], [other.codename, by(second)], times),
    ]),
  });
}

type Side = readonly [codename: string, measure: number | null];

function leader([one, x]: Side, [other, y]: Side, times: boolean): string {
  if (x === null || y === null) return '';
  if (x === y) return 'tied';
  const [name, more, less] = x > y ? [one, x, y] : [other, y, x];
  return times && less > 0 ? `${name}, ${readable(more / less)}×` : name;
}
