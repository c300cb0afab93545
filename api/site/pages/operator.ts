import * as z from 'zod';
import {
  LeaderboardQuery,
  WINDOW_SPECS,
  type Window,
  windowLabel,
  windowSentence,
} from '../../../engine/contract/index.ts';
import { UNSPECIFIED_PLATFORM } from '../../../engine/contract/signing/index.ts';
import type {
  BoardEntry,
  BoardOverview,
  OperatorHistory,
  Profile,
  WindowScore,
} from '../../../engine/ranking/index.ts';
import { cascadeString } from '../../../engine/ranking/index.ts';
import type { Methodology } from '../../../engine/ranking/methodologies/index.ts';
import { html, NOTHING } from '../../html.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import { MAX_CODENAME_LENGTH, REPEATED_FOR_MS } from '../../v1/operators/get-operator.ts';
import { badgeWidth } from '../charts/badge.ts';
import { cascadeBands } from '../charts/cascade-bands.ts';
import { BOARD_PAGE_CACHE, definePage, methodologyOf } from '../page.ts';
import type { Ref } from '../render/addresses.ts';
import { type Inline, link, m, name, text, time } from '../render/inline.ts';
import { movement, percentile, readable, readableOr, scoreOr, tierBadge } from '../render/numbers.ts';
import { codeBlock, facts, heading, lede, type Part, prose, section, shownOnly, writtenOnly } from '../render/parts.ts';
import type { SitePage } from '../render/site-page.ts';
import { cell, table } from '../render/table.ts';
import { boardTable } from './board-table.ts';
import { historyParts } from './history-parts.ts';
import { windowChoices, windowQuery } from './window-choices.ts';

/** A codename typed into a form; control characters, which no codename has, are removed. */
export const TypedCodename = z
  .string()
  .max(MAX_CODENAME_LENGTH)
  .default('')
  .transform((typed) => typed.replaceAll(/\p{Cc}/gu, '').trim());

/** Entries on either side of the operator's own. */
const NEIGHBOURS_SHOWN = 3;

/** Codenames suggested for an unknown one. */
const SUGGESTIONS = 3;

export const operator = definePage({
  surface: 'site',
  path: '/operators/{codename}',
  operationId: 'getOperatorPage',
  summary: 'An operator',
  params: {
    schema: z.object({ codename: z.string().min(1).max(MAX_CODENAME_LENGTH) }),
    unmatched: 'operator_unknown',
  },
  query: z.looseObject({ window: LeaderboardQuery.shape.window }),
  problems: ['operator_unknown', 'window_invalid'],
  cache: BOARD_PAGE_CACHE,
  fastPath: { forMs: REPEATED_FOR_MS },
  async content({ params: { codename }, query: { window } }, { board, config: { siteUrl } }) {
    const { version } = board.view();
    const [profile, neighbours, history] = await fromStorage(() =>
      Promise.all([
        board.profile(codename),
        board.neighbours(codename, window, NEIGHBOURS_SHOWN),
        board.history(codename, window),
      ]),
    );
    if (profile === null || history === null) {
      const like = await fromStorage(() => board.withBoardView((asked) => asked.codenamesLike(codename, SUGGESTIONS)));
      const links = Object.fromEntries(like.map((known) => [known, `${siteUrl}/operators/${known}`]));
      throw new Problem('operator_unknown', { detail: 'No operator has this codename.', links });
    }
    const view = board.view();
    const known = { view, methodology: methodologyOf(view), window, profile, neighbours, history, siteUrl };
    return { make: () => operatorPage(known), board: version };
  },
});

/** The content of an operator's page. */
interface OperatorFacts {
  readonly view: BoardOverview;
  readonly methodology: Methodology;
  /** The window whose numbers the page shows first. */
  readonly window: Window;
  readonly profile: Profile;
  readonly neighbours: readonly BoardEntry[];
  readonly history: OperatorHistory;
  /** The base of the badge's address. */
  readonly siteUrl: string;
}

/** An operator's standing, history and neighbours. */
function operatorPage(known: OperatorFacts): SitePage {
  const { profile, view, siteUrl, window } = known;
  const { codename, display_name: displayName, platform } = profile;
  const standing = profile.windows[window];
  const total = view.totals[window];
  const place = standing.rank === null ? 'not ranked' : `rank ${readable(standing.rank)} of ${readable(total)}`;
  return {
    surface: 'site',
    canonical: operatorAddress(codename, window),
    area: 'Board',
    width: 'tables',
    title: window === 'all_time' ? codename : `${codename}, ${windowLabel(window)}`,
    heading: text(codename),
    description: `${codename} on the Upsilon leaderboard of AI operators: ${place} by Yield, by the counts ${windowSentence(window)}.`,
    above: m`[Board](site:/) / Operator`,
    data: personData(profile, siteUrl),
    parts: [
      lede(m`${displayName === null ? '' : m`${name(displayName)}. `}${onPlatform(platform)}`),
      shownOnly(
        (to) =>
          html`<div class="choices">${windowChoices(window, (other) => operatorAddress(codename, other), to)}</div>`,
      ),
      writtenOnly(m`By the counts ${windowSentence(window)}. Other windows: add \`window\`.`),
      headline(standing, total),
      ...cascadeParts(standing, window),
      heading(2, 'In every window'),
      windowsTable(known),
      heading(2, 'Over time'),
      ...historyParts([known.history]),
      ...neighbourParts(known),
      ...useParts(profile, window, siteUrl),
      prose(m`From the board made ${time(view.generatedAt)}.`),
    ],
  };
}

function operatorAddress(codename: string, window: Window): Ref {
  return `site:/operators/${encodeURIComponent(codename)}${windowQuery(window)}`;
}

function onPlatform(platform: string): Inline {
  return platform === UNSPECIFIED_PLATFORM || platform === ''
    ? m`AI operator; platform not specified.`
    : m`AI operator, mostly on ${platform}.`;
}

function headline(
  { rank, yield_, class_tier, percentile: share, movement_24h, movement_7d }: WindowScore,
  total: number,
): Part {
  return facts(
    [
      ['Rank', rank === null ? readableOr(null, 'not ranked') : m`${readable(rank)} of ${readable(total)}`],
      ['Yield', scoreOr(yield_)],
      ['Tier', tierOr(class_tier)],
      ['Percentile', percentile(share)],
      ['Last 24 hours', movement(movement_24h)],
      ['Last 7 days', movement(movement_7d)],
    ],
    'headline',
  );
}

function tierOr(tier: string | null): Inline {
  return tier === null ? readableOr(null) : tierBadge(tier);
}

function cascadeParts({ leverage, velocity, yield_ }: WindowScore, window: Window): Part[] {
  const score = leverage === null || velocity === null || yield_ === null ? null : { leverage, velocity, yield_ };
  const cascade = cascadeString(score);
  if (score === null || cascade === null) {
    return [
      section(
        'note',
        window === 'all_time'
          ? prose(
              m`No score yet. A Yield needs input tokens; the operator is ranked after the next snapshot that contains some.`,
            )
          : prose(m`No score: the counts ${windowSentence(window)} contain no input tokens.`),
      ),
    ];
  }
  return [
    heading(2, 'The cascade'),
    prose(
      m`For each token of input, **${readable(score.leverage)}** are read from cache and **${readable(score.velocity)}** are written: \`${cascade}\` as cache : input : output.`,
    ),
    shownOnly(() => cascadeBands(score.leverage, score.velocity)),
  ];
}

function windowsTable({ profile, view, window: shown }: OperatorFacts): Part {
  return table({
    caption: `${profile.codename} in every window`,
    columns: [
      { label: 'Window', is: ['row'] },
      { label: 'Rank', is: ['number'] },
      { label: 'of', is: ['number', 'wide'] },
      { label: 'Yield', is: ['number'] },
      { label: 'Leverage', is: ['number', 'wide'] },
      { label: 'Velocity', is: ['number', 'wide'] },
      { label: 'Tier' },
      { label: 'Percentile', is: ['number', 'wide'] },
      { label: '24 h', is: ['number'] },
      { label: '7 d', is: ['number', 'wide'] },
    ],
    rows: WINDOW_SPECS.map(({ name: window, label }) => {
      const standing = profile.windows[window];
      return {
        current: window === shown,
        cells: [
          cell(link(label, operatorAddress(profile.codename, window))),
          cell(readableOr(standing.rank, 'not ranked')),
          cell(readable(view.totals[window])),
          cell(scoreOr(standing.yield_)),
          cell(scoreOr(standing.leverage)),
          cell(scoreOr(standing.velocity)),
          cell(tierOr(standing.class_tier)),
          cell(percentile(standing.percentile)),
          cell(movement(standing.movement_24h)),
          cell(movement(standing.movement_7d)),
        ],
      };
    }),
  });
}

function neighbourParts({ profile, neighbours, methodology }: OperatorFacts): Part[] {
  if (neighbours.length === 0) return [];
  const others = neighbours.length === 1;
  return [
    heading(2, 'Neighbours'),
    others
      ? prose(m`There are no other operators on the board yet.`)
      : boardTable(`Operators next to ${profile.codename}`, neighbours, methodology.tiers, profile.codename),
  ];
}

function useParts(profile: Profile, window: Window, siteUrl: string): Part[] {
  const { codename } = profile;
  return [
    heading(2, 'Use it elsewhere'),
    shownOnly(
      (to) =>
        html`<form action="${to.near('site:/compare')}" method="get"><input type="hidden" name="a" value="${codename}">${window === 'all_time' ? NOTHING : html`<input type="hidden" name="window" value="${window}">`}<label><span>Compare ${codename} with</span><input name="b" required minlength="3" maxlength="32" placeholder="codename" autocomplete="off" autocapitalize="none" spellcheck="false"></label><button>Compare</button></form>`,
    ),
    writtenOnly(m`Compare with another operator: \`/compare?a=${codename}&b=CODENAME\`.`),
    prose(
      m`As data: [profile](base:/operators/${codename}) and [history](base:/operators/${codename}/history${windowQuery(window)}). As a badge for a README, which shows the current board:`,
    ),
    shownOnly(
      (to) =>
        html`<p><img src="${to.near(`site:/badge/${codename}.svg`)}" alt="The badge of ${codename}" width="${badgeWidth(profile)}" height="28"></p>`,
    ),
    codeBlock(
      'markdown',
      `[![Upsilon](${siteUrl}/badge/${codename}.svg)](${siteUrl}/operators/${codename})`,
      'Markdown of the badge',
    ),
  ];
}

function personData({ codename, display_name: displayName }: Profile, siteUrl: string): Record<string, unknown> {
  return {
    '@type': 'ProfilePage',
    mainEntity: {
      '@type': 'Person',
      name: displayName ?? codename,
      alternateName: codename,
      identifier: codename,
      url: `${siteUrl}/operators/${codename}`,
    },
  };
}

/** An operator in a sentence: codename, and display name when it has one. */
export function operatorName({ codename, display_name: displayName }: Profile): Inline {
  return displayName === null ? text(codename) : m`${codename} (${name(displayName)})`;
}
