import * as z from 'zod';
import { LeaderboardQuery, type Window, windowLabel, windowSentence } from '../../../engine/contract/index.ts';
import type { BoardOverview, BoardReader, Profile, WindowScore } from '../../../engine/ranking/index.ts';
import { html } from '../../html.ts';
import { fromStorage } from '../../http/problem.ts';
import { BOARD_PAGE_CACHE, definePage } from '../page.ts';
import { operatorRef, type Ref } from '../render/addresses.ts';
import { type Inline, link, m, strong, text } from '../render/inline.ts';
import { movement, percentile, readable, readableOr, scoreOr, tierBadge } from '../render/numbers.ts';
import type { SitePage } from '../render/page-text.ts';
import { bullets, heading, lede, type Part, prose, shownOnly, table, writtenOnly } from '../render/parts.ts';
import { platformName } from './board-table.ts';
import { codenameField, namesText, TypedCodename, windowField, windowParts, windowQuery } from './forms.ts';
import { historyParts } from './history-parts.ts';
import { operatorName } from './operator.ts';
import { flagMarks } from './reliance.ts';

/** The parameters that name the operators. */
const SIDES = ['a', 'b', 'c', 'd', 'e'] as const;

type Asked = Readonly<Record<(typeof SIDES)[number], string>> & { readonly window: Window };

/** Two to five operators side by side; the form when fewer than two are known. */
export const compare = definePage({
  surface: 'site',
  path: '/compare',
  operationId: 'getComparePage',
  summary: 'Compare operators',
  listed: { title: 'Compare operators', about: 'Add a and b, two codenames, up to e, and a window.' },
  nav: 'Compare',
  query: z.object({
    a: TypedCodename,
    b: TypedCodename,
    c: TypedCodename,
    d: TypedCodename,
    e: TypedCodename,
    window: LeaderboardQuery.shape.window,
  }),
  problems: ['validation_failed', 'window_invalid'],
  cache: BOARD_PAGE_CACHE,
  async content({ query }, { board }) {
    const { window } = query;
    const asked = [...new Set(SIDES.map((side) => query[side].toLowerCase()))].filter((codename) => codename !== '');
    const found = await Promise.all(asked.map((codename) => readSide(board, codename, window)));
    const known = found.filter((side) => side !== null);
    const unknown = asked.filter((_, index) => found[index] === null);
    if (known.length < 2 || unknown.length > 0)
      return { make: () => compareFormPage(query, unknown, board.view().topEntries[window]) };
    return { make: () => comparePage(known, window) };
  },
});

/** One side of a comparison; null when no operator has the codename. */
async function readSide(board: BoardReader, codename: string, window: Window) {
  const [profile, history] = await fromStorage(() =>
    Promise.all([board.profile(codename), board.history(codename, window)]),
  );
  return profile && history && { profile, history };
}

type Compared = NonNullable<Awaited<ReturnType<typeof readSide>>>;

/** The form, with a note for each unknown codename, and pairs to begin with. */
function compareFormPage(asked: Asked, unknown: readonly string[], top: BoardOverview['topEntries'][Window]): SitePage {
  return {
    ...FRAME,
    canonical: 'site:/compare',
    title: 'Compare operators',
    parts: [
      lede(m`See two to five operators side by side: scores, tiers, ranks and movement.`),
      ...unknown.map((codename) => prose(m`No operator has the codename **${codename}**.`)),
      ...compareForm(
        SIDES.map((side) => asked[side]),
        asked.window,
      ),
      ...proposals(top, asked.window),
    ],
  };
}

/** The first two, the second and third, and the operator that rose most today with the next ahead. */
function proposals(top: BoardOverview['topEntries'][Window], window: Window): Part[] {
  const rise = (at: number): number => top[at]?.movement_24h ?? 0;
  const most = [...top.keys()].reduce((best, at) => (rise(at) > rise(best) ? at : best), 0);
  const labels = new Map([
    [1, 'First and second'],
    [2, 'Second and third'],
  ]);
  if (!labels.has(most)) labels.set(most, 'The next ahead and today’s mover');
  const links = [...labels].flatMap(([at, label]) => {
    const [a, b] = [top[at - 1], top[at]];
    if (a === undefined || b === undefined) return [];
    const named = `a=${a.codename}&b=${b.codename}`;
    return m`${label}: ${link(`${a.codename} and ${b.codename}`, `site:/compare${windowQuery(window, named)}`)}`;
  });
  return links.length === 0 ? [] : [heading(2, 'Or begin with'), bullets(...links)];
}

function comparePage(sides: readonly Compared[], window: Window): SitePage {
  const profiles = sides.map(({ profile }) => profile);
  const codenames = profiles.map(({ codename }) => codename);
  const named = codenames.map((codename, index) => `${SIDES[index]}=${encodeURIComponent(codename)}`).join('&');
  const address = (asked: Window): Ref => `site:/compare${windowQuery(asked, named)}`;
  const names = namesText(codenames);
  return {
    ...FRAME,
    canonical: address(window),
    card: `site:/board.png${windowQuery(window, `operators=${codenames.join(',')}`)}`,
    title: window === 'all_time' ? names : `${names}, ${windowLabel(window)}`,
    heading: text(names),
    above: m`[Compare](site:/compare)`,
    parts: [
      lede(verdict(profiles, window)),
      ...windowParts(window, address),
      comparison(profiles, window),
      heading(2, 'Over time'),
      ...historyParts(sides.map(({ history }) => history)),
      heading(2, 'Compare others'),
      ...compareForm(codenames, window),
    ],
  };
}

const FRAME = {
  surface: 'site',
  area: 'Compare',
  width: 'tables',
  description: 'AI operators on the Upsilon leaderboard, side by side.',
} as const;

const ORDINALS = ['First', 'Second', 'Third', 'Fourth', 'Fifth'] as const;

/** Two fields, and those that have a codename, and one more. */
function compareForm(codenames: readonly string[], window: Window): Part[] {
  const filled = codenames.filter((codename) => codename !== '');
  const shown = SIDES.slice(0, Math.max(2, filled.length + 1));
  const fields = shown.map((side, index) =>
    codenameField(`${ORDINALS[index]} operator`, side, { value: filled[index] ?? '', required: index < 2 }),
  );
  return [
    shownOnly(
      (to) =>
        html`<form action="${to.near('site:/compare')}" method="get">${fields}${windowField(window)}<button>Compare</button></form>`,
    ),
    writtenOnly(m`Request \`/compare?a=CODENAME&b=CODENAME\`, up to \`e\`.`),
  ];
}

function verdict(profiles: readonly Profile[], window: Window): Inline {
  const ranked = profiles.filter((profile) => profile.windows[window].rank !== null);
  if (ranked.length < 2) {
    const missing = profiles.find((profile) => profile.windows[window].rank === null);
    return m`${operatorName(missing!)} is not ranked ${windowSentence(window)}, so they cannot be compared.`;
  }
  const yieldIn = (profile: Profile): number => profile.windows[window].yield_ ?? 0;
  const [first, second] = ranked.toSorted((one, other) => yieldIn(other) - yieldIn(one));
  const [more, less] = [yieldIn(first!), yieldIn(second!)];
  if (more === less) return m`${operatorName(first!)} and ${operatorName(second!)} have the same Yield.`;
  const times = less === 0 ? m`, whose Yield is 0` : m` with ${readable(more / less)} times the Yield`;
  return m`${operatorName(first!)} leads ${operatorName(second!)}${times}.`;
}

/** The value of each side, and the measure by which one is ahead, which is bold. */
type Row = readonly [
  label: string,
  says: (score: WindowScore, profile: Profile, window: Window) => Inline,
  /** Higher is better; null where there is nothing to compare. */
  by?: (score: WindowScore) => number | null,
];

const ROWS: readonly Row[] = [
  ['Operator', (_, { codename }) => link(codename, operatorRef(codename))],
  ['Rank', ({ rank }) => readableOr(rank, 'not ranked'), ({ rank }) => rank && -rank],
  ['Yield', ({ yield_ }) => scoreOr(yield_), ({ yield_ }) => yield_],
  ['Leverage', ({ leverage }) => scoreOr(leverage), ({ leverage }) => leverage],
  ['Velocity', ({ velocity }) => scoreOr(velocity), ({ velocity }) => velocity],
  ['Tier', ({ class_tier }) => tierBadge(class_tier)],
  ['Percentile', ({ percentile: share }) => percentile(share), ({ percentile: share }) => share],
  ['Rank since yesterday', ({ movement_24h }) => movement(movement_24h)],
  ['Rank since 7 days ago', ({ movement_7d }) => movement(movement_7d)],
  ['Plausibility', plausibility],
  ['Platform', (_, { platform }) => platformName(platform, 'not specified')],
];

/** The flags of a side, linked to their explanation. */
function plausibility(score: WindowScore, { codename }: Profile, window: Window): Inline {
  const [first, ...others] = flagMarks(score, codename, window);
  return first === undefined ? text('no flags') : others.reduce((marks, mark) => m`${marks} · ${mark}`, first);
}

function comparison(profiles: readonly Profile[], window: Window): Part {
  const codenames = profiles.map(({ codename }) => codename);
  const scores = profiles.map(({ windows }) => windows[window]);
  return table({
    caption: `${namesText(codenames)} side by side, by usage ${windowSentence(window)}`,
    className: 'sides',
    columns: [
      { label: windowLabel(window), is: ['row'] },
      ...codenames.map((label) => ({ label, is: ['number'] as const })),
    ],
    rows: ROWS.map(([label, says, by = () => null]) => {
      const measures = scores.map((score) => (score.rank === null ? null : by(score)));
      const known = measures.filter((measure) => measure !== null);
      const best = known.length < 2 ? null : Math.max(...known);
      const isLed = known.filter((measure) => measure === best).length === 1;
      return [
        label,
        ...profiles.map((profile, index) => {
          const said = says(scores[index]!, profile, window);
          return isLed && measures[index] === best ? strong(said) : said;
        }),
      ];
    }),
  });
}
