import type { Methodology } from '../../../config/methodologies/index.ts';
import { UNSPECIFIED_PLATFORM } from '../../../engine/contract/signing/index.ts';
import type { BoardEntry, BoardView, OperatorHistory, Profile } from '../../../engine/ranking/index.ts';
import { badgeWidth } from '../charts/badge.ts';
import { cascadeBands } from '../charts/cascade-bands.ts';
import { html } from '../render/html.ts';
import { type Inline, m, name, text, time } from '../render/inline.ts';
import { movement, percentile, readable, readableOr } from '../render/numbers.ts';
import { codeBlock, facts, heading, lede, type Part, prose, section, shownOnly, writtenOnly } from '../render/parts.ts';
import type { SitePage } from '../render/site-page.ts';
import { cell, table } from '../render/table.ts';
import { boardTable } from './board-table.ts';
import { historyParts } from './history-parts.ts';
import { WINDOW_WORDS } from './window-words.ts';

/** Entries on either side of the operator's own. */
export const NEIGHBOURS_SHOWN = 3;

/** Everything an operator's page tells. */
export interface OperatorFacts {
  readonly view: BoardView;
  readonly methodology: Methodology;
  readonly profile: Profile;
  readonly neighbours: readonly BoardEntry[];
  readonly history: OperatorHistory;
  /** Where the badge is, for readers who copy it. */
  readonly siteUrl: string;
}

/** An operator: where it stands, how it came there, and who stands next to it. */
export function operatorPage(known: OperatorFacts): SitePage {
  const { profile, view, siteUrl } = known;
  const { codename, display_name: displayName, rank, platform } = profile;
  const total = view.totals.all_time;
  const standing = rank === null ? 'not ranked' : `rank ${readable(rank)} of ${readable(total)}`;
  return {
    surface: 'site',
    canonical: `site:/operators/${codename}`,
    area: 'board',
    width: 'tables',
    title: codename,
    description: `${codename} on the Upsilon leaderboard of AI operators: ${standing} by Yield.`,
    above: m`[Board](site:/) / Operator`,
    data: personData(profile, siteUrl),
    parts: [
      lede(m`${displayName === null ? '' : m`${name(displayName)}. `}${onPlatform(platform)}`),
      headline(profile, total),
      ...cascadeParts(profile),
      heading(2, 'In every window'),
      windowsTable(known),
      heading(2, 'Over time'),
      ...historyParts([known.history]),
      ...neighbourParts(known),
      ...useParts(profile, siteUrl),
      prose(m`From the board made ${time(view.generatedAt)}.`),
    ],
  };
}

function onPlatform(platform: string): Inline {
  return platform === UNSPECIFIED_PLATFORM || platform === ''
    ? m`AI operator; which platform was used is not told.`
    : m`AI operator, mostly on ${platform}.`;
}

function headline(
  { rank, yield_, class_tier, percentile: share, movement_24h, movement_7d }: Profile,
  total: number,
): Part {
  const tier: Inline = class_tier === null ? readableOr(null) : [{ kind: 'tier', text: class_tier }];
  return facts(
    [
      ['Rank', rank === null ? readableOr(null, 'not ranked') : m`${readable(rank)} of ${readable(total)}`],
      ['Yield', readableOr(yield_)],
      ['Tier', tier],
      ['Percentile', percentile(share)],
      ['Last 24 hours', movement(movement_24h)],
      ['Last 7 days', movement(movement_7d)],
    ],
    'headline',
  );
}

function cascadeParts({ leverage, velocity, cascade_str: cascade }: Profile): Part[] {
  if (leverage === null || velocity === null || cascade === null) {
    return [
      section(
        'note',
        prose(
          m`No score yet. A Yield needs input tokens in the counts; with the next snapshot that has some, the operator is ranked.`,
        ),
      ),
    ];
  }
  return [
    heading(2, 'The cascade'),
    prose(
      m`For each token of input, **${readable(leverage)}** are read from cache and **${readable(velocity)}** are written: \`${cascade}\` as cache : input : output.`,
    ),
    shownOnly(() => cascadeBands(leverage, velocity)),
  ];
}

function windowsTable({ profile, view }: OperatorFacts): Part {
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
    rows: WINDOW_WORDS.map(([window, label]) => {
      const standing = profile.windows[window];
      const tier: Inline =
        standing.class_tier === null ? readableOr(null) : [{ kind: 'tier', text: standing.class_tier }];
      return {
        cells: [
          cell(label),
          cell(readableOr(standing.rank, 'not ranked')),
          cell(readable(view.totals[window])),
          cell(readableOr(standing.yield_)),
          cell(readableOr(standing.leverage)),
          cell(readableOr(standing.velocity)),
          cell(tier),
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
      ? prose(m`There is nobody else on the board yet.`)
      : boardTable(`Who stands next to ${profile.codename}`, neighbours, methodology.tiers, profile.codename),
  ];
}

function useParts(profile: Profile, siteUrl: string): Part[] {
  const { codename } = profile;
  return [
    heading(2, 'Use it elsewhere'),
    shownOnly(
      (to) =>
        html`<form action="${to.near('site:/compare')}" method="get"><input type="hidden" name="a" value="${codename}"><label><span>Compare ${codename} with</span><input name="b" required minlength="3" maxlength="32" placeholder="codename" autocomplete="off" autocapitalize="none" spellcheck="false"></label><button>Compare</button></form>`,
    ),
    writtenOnly(m`Compare with another operator: \`/compare?a=${codename}&b=CODENAME\`.`),
    prose(
      m`As data: [profile](base:/operators/${codename}) and [history](base:/operators/${codename}/history). As a badge for a README, always of the current board:`,
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

/** The name of an operator in a sentence, for pages about several. */
export function operatorName({ codename, display_name: displayName }: Profile): Inline {
  return displayName === null ? text(codename) : m`${codename} (${name(displayName)})`;
}
