import * as z from 'zod';
import { readableDay } from '../../../config/units.ts';
import {
  LeaderboardQuery,
  shareSnippets,
  WINDOW_SPECS,
  type Window,
  windowLabel,
  windowSentence,
} from '../../../engine/contract/index.ts';
import type { Profile, WindowScore } from '../../../engine/ranking/index.ts';
import { cascadeString } from '../../../engine/ranking/index.ts';
import { dotAxis } from '../../charts/dot-axis.ts';
import { html } from '../../html.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import { BY_CODENAME, REPEATED_FOR_MS } from '../../v1/operators.ts';
import { badgeWidth } from '../charts/badge.ts';
import { BOARD_PAGE_CACHE, definePage, methodologyOf } from '../page.ts';
import { operatorRef, placeRef, type Ref } from '../render/addresses.ts';
import { type Inline, link, m, name, text, time } from '../render/inline.ts';
import { movement, percentile, readable, readableOr, readableScore, scoreOr, tierBadge } from '../render/numbers.ts';
import type { SitePage } from '../render/page-text.ts';
import {
  codeBlock,
  facts,
  heading,
  lede,
  type Part,
  prose,
  section,
  shownOnly,
  table,
  writtenOnly,
} from '../render/parts.ts';
import type { SiteContext } from '../site-context.ts';
import { boardTable, isUnspecified } from './board-table.ts';
import { codenameField, windowField, windowParts, windowQuery } from './forms.ts';
import { historyParts } from './history-parts.ts';
import { readFindings } from './public-evidence.ts';
import { relianceParts, unrankedPart } from './reliance.ts';

/** Entries on either side of the operator's own. */
const NEIGHBOURS_SHOWN = 3;

/** Codenames suggested for an unknown one. */
const SUGGESTIONS = 3;

export const operator = definePage({
  surface: 'site',
  path: '/operators/{codename}',
  operationId: 'getOperatorPage',
  summary: 'An operator',
  params: BY_CODENAME,
  query: z.object({ window: LeaderboardQuery.shape.window }),
  problems: ['operator_unknown', 'window_invalid'],
  cache: BOARD_PAGE_CACHE,
  fastPath: { forMs: REPEATED_FOR_MS },
  async content({ params: { codename }, query: { window } }, ctx) {
    const { version } = ctx.board.view();
    const known = await readFacts(ctx, codename, window);
    return { make: () => operatorPage(known), board: version };
  },
});

/** The content of an operator's page, which shows the numbers of `window` first. Throws Problem operator_unknown. */
async function readFacts(ctx: SiteContext, codename: string, window: Window) {
  const { board, config, clock } = ctx;
  const { siteUrl } = config;
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
  // Read only for rows with flags, which are few.
  const findings = profile.windows[window].integrity.flags.length === 0 ? null : await readFindings(ctx, codename);
  const shown = { window, profile, neighbours, history, findings, now: clock() };
  return { ...shown, view: board.view(), siteUrl };
}

type OperatorFacts = Awaited<ReturnType<typeof readFacts>>;

function operatorPage(known: OperatorFacts): SitePage {
  const { profile, view, siteUrl, window } = known;
  const { codename, display_name: displayName, platform, windows } = profile;
  const standing = windows[window];
  const hasUsage = WINDOW_SPECS.some(({ name: each }) => windows[each].unranked !== 'no_tokens');
  const { rank } = standing;
  const total = readable(view.totals[window]);
  const shownName = displayName === null ? '' : m`${name(displayName)}. `;
  const address = (other: Window): Ref => operatorAddress(codename, other);
  const place = rank === null ? 'not ranked' : `rank ${readable(rank)} of ${total}`;
  return {
    surface: 'site',
    canonical: address(window),
    card: `site:/card/${codename}.png${windowQuery(window)}`,
    feedsOf: operatorRef(codename),
    area: 'Board',
    width: 'tables',
    title: window === 'all_time' ? codename : `${codename}, ${windowLabel(window)}`,
    heading: text(codename),
    description: `${codename} on the Upsilon leaderboard of AI operators: ${place} by Yield ${windowSentence(window)}.`,
    above: m`[Board](site:/) / Operator`,
    data: {
      '@type': 'ProfilePage',
      mainEntity: {
        '@type': 'Person',
        name: displayName ?? codename,
        alternateName: codename,
        identifier: codename,
        url: `${siteUrl}/operators/${codename}`,
      },
    },
    parts: [
      lede(
        m`${shownName}AI operator${isUnspecified(platform) ? '; platform not specified' : `, mostly on ${platform}`}.`,
      ),
      ...windowParts(window, address),
      ...headlineParts(standing, total),
      ...(standing.yield_ === null || rank === null
        ? [unrankedPart(profile, window, methodologyOf(view), windowSentence(window))]
        : []),
      section(
        'pair',
        ...cascadeParts(standing),
        ...(hasUsage ? [section('', ...relianceParts(profile, window, known.findings, known.now))] : []),
      ),
      ...(rank !== null ? [reportLink(codename)] : []),
      ...(hasUsage
        ? [heading(2, 'In every window'), windowsTable(known), ...toolsParts(profile), heading(2, 'Over time')]
        : []),
      ...(hasUsage ? [...bestRankParts(known), ...historyParts([known.history])] : []),
      ...neighbourParts(known),
      ...useParts(known),
      ...provenanceParts(profile),
      prose(m`Updated ${time(view.generatedAt)}.`),
    ],
  };
}

/** The numbers of a window; none where there is no Yield. */
function headlineParts(standing: WindowScore, total: string): Part[] {
  const { rank, yield_ } = standing;
  if (yield_ === null) return [];
  const rows: (readonly [string, Inline])[] = [
    ['Rank', rank === null ? noRankWords(standing) : m`${readable(rank)} of ${total}`],
    ['Yield', scoreOr(yield_)],
    ['Tier', tierBadge(standing.class_tier)],
  ];
  if (rank !== null) {
    rows.push(
      ['Percentile', percentile(standing.percentile)],
      ['Rank since yesterday', movement(standing.movement_24h)],
      ['Rank since 7 days ago', movement(standing.movement_7d)],
    );
  }
  return [facts(rows, 'headline')];
}

/** What stands in the place of a rank; `before` begins the words about a place that is not settled. */
function noRankWords({ unranked, would_be }: WindowScore, before = 'not settled, '): Inline {
  if (unranked === 'excluded') return text('excluded');
  return unranked === 'held' && would_be !== null
    ? text(`${before}would be ${readable(would_be)}`)
    : readableOr(null, 'not ranked');
}

function operatorAddress(codename: string, window: Window): Ref {
  return `${operatorRef(codename)}${windowQuery(window)}`;
}

function cascadeParts({ leverage, velocity, yield_ }: WindowScore): Part[] {
  const score = leverage === null || velocity === null || yield_ === null ? null : { leverage, velocity, yield_ };
  const cascade = cascadeString(score);
  if (score === null || cascade === null) return [];
  return [
    section(
      '',
      heading(2, 'The cascade'),
      prose(
        m`For each token of input, **${readable(score.leverage)}** are read from cache and **${readable(score.velocity)}** are written as output: \`${cascade}\` (cache : input : output).`,
      ),
      shownOnly(() =>
        dotAxis([
          ['cache read', score.leverage, readableScore(score.leverage)],
          ['input', 1, '1'],
          ['output', score.velocity, readableScore(score.velocity)],
        ]),
      ),
    ),
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
      return [
        link(label, operatorAddress(profile.codename, window)),
        standing.rank === null ? noRankWords(standing, '') : readable(standing.rank),
        readable(view.totals[window]),
        scoreOr(standing.yield_),
        scoreOr(standing.leverage),
        scoreOr(standing.velocity),
        tierBadge(standing.class_tier),
        percentile(standing.percentile),
        movement(standing.movement_24h),
        movement(standing.movement_7d),
      ];
    }),
    current: WINDOW_SPECS.findIndex(({ name: window }) => window === shown),
  });
}

/** The operator's places on the boards of its tools. */
function toolsParts({ codename, platforms }: Profile): Part[] {
  if (platforms.length === 0) return [];
  return [
    heading(2, 'By AI tool'),
    table({
      caption: `${codename} on the board of each of its tools, over all time`,
      columns: [
        { label: 'Tool', is: ['row'] },
        { label: 'Percentile', is: ['number'] },
        { label: 'Rank', is: ['number'] },
        { label: 'of', is: ['number'] },
        { label: 'Yield', is: ['number'] },
      ],
      rows: platforms.map(({ platform, rank, yield_, total_operators, percentile: share }) => [
        link(platform, `site:/platform/${platform}`),
        percentile(share),
        readableOr(rank, 'not numbered'),
        readable(total_operators),
        scoreOr(yield_),
      ]),
    }),
  ];
}

/** The best rank on the kept boards and the present one, with its day. */
function bestRankParts({ history: { points } }: OperatorFacts): Part[] {
  const ranked = points.flatMap(({ at, rank }) => (rank === null ? [] : { at, rank }));
  const best = ranked.toSorted((a, b) => a.rank - b.rank || b.at - a.at)[0];
  return best === undefined
    ? []
    : [prose(m`Best rank of the kept boards: **${readable(best.rank)}**, on ${readableDay(best.at)}.`)];
}

function neighbourParts({ profile: { codename, windows }, neighbours, view, window }: OperatorFacts): Part[] {
  if (neighbours.length === 0) return [];
  const { rank } = windows[window];
  const tied = neighbours.filter((other) => other.rank === rank).length;
  const place = placeRef(codename, windowQuery(window).replace('?', '&'));
  return [
    heading(2, 'Neighbours'),
    ...(tied > 1
      ? [
          prose(
            m`Operators with the same Yield share rank ${readable(rank ?? 0)}; they stand in the order of enrolment.`,
          ),
        ]
      : []),
    neighbours.length === 1
      ? prose(m`No other operators are on the board yet.`)
      : boardTable(`Operators next to ${codename}`, neighbours, methodologyOf(view).tiers, window, {
          current: codename,
        }),
    prose(m`[See this place on the board](${place})`),
  ];
}

function provenanceParts({ provenance }: Profile): Part[] {
  if (provenance === null) return [];
  const { counting, tool_version: version } = provenance;
  const meaning = counting === 'exact' ? 'as the AI tools wrote them' : 'some are computed from others';
  const tool = version === null ? 'the tool' : `version ${version} of the tool`;
  return [prose(m`The counts are **${counting}** (${meaning}), according to ${tool} that signed them.`)];
}

/** Only the login host knows who is signed in. */
function reportLink(codename: string): Part {
  return prose(
    m`Do these numbers look impossible? [Report them](login:/account/report?operator=${codename}): a moderator looks.`,
  );
}

function useParts({ profile, window, siteUrl, view }: OperatorFacts): Part[] {
  const { codename } = profile;
  const shared = { ...profile.windows[window], siteUrl, codename, total: view.totals[window] };
  return [
    heading(2, 'Share and embed'),
    shownOnly(
      (to) =>
        html`<form action="${to.near('site:/compare')}" method="get"><input type="hidden" name="a" value="${codename}">${windowField(window)}${codenameField(`Compare ${codename} with`, 'b')}<button>Compare</button></form>`,
    ),
    writtenOnly(m`Compare with another operator: \`/compare?a=${codename}&b=CODENAME\`.`),
    prose(
      m`As JSON: [profile](base:/operators/${codename}) and [history](base:/operators/${codename}/history${windowQuery(window)}). Badge and card show the current standing wherever they are pasted:`,
    ),
    shownOnly(
      (to) =>
        html`<p><img src="${to.near(`site:/badge/${codename}.svg`)}" alt="The badge of ${codename}" width="${badgeWidth(profile)}" height="28"></p>`,
    ),
    // The script gives each block after this heading a button that copies it.
    ...shareSnippets(shared, window).flatMap(({ label, language, text: lines }) => [
      prose(text(`${label}:`)),
      codeBlock(language, lines, label),
    ]),
  ];
}

/** An operator in a sentence: codename, and display name when it has one. */
export function operatorName({ codename, display_name: displayName }: Profile): Inline {
  return displayName === null ? text(codename) : m`${codename} (${name(displayName)})`;
}
