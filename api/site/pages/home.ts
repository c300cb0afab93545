import * as z from 'zod';
import type { Config } from '../../../config/config.ts';
import {
  LeaderboardQuery,
  MAX_LEADERBOARD_LIMIT,
  refuseConflicts,
  WINDOW_SPECS,
  WINDOWS,
  type Window,
  windowSentence,
} from '../../../engine/contract/index.ts';
import type { BoardOverview, BoardReader } from '../../../engine/ranking/index.ts';
import { BOARD_PAGE_CACHE, definePage, methodologyOf } from '../page.ts';
import { operatorRef } from '../render/addresses.ts';
import { type Inline, link, m, time } from '../render/inline.ts';
import { movement, readable } from '../render/numbers.ts';
import type { SitePage } from '../render/page-text.ts';
import { cards, folded, heading, lede, type Part, prose, section, shownOnly, writtenOnly } from '../render/parts.ts';
import {
  type BoardChoice,
  boardRef,
  choicesHtml,
  DEFAULT_LIMIT,
  deepPage,
  followsBoard,
  keptLink,
  leadToPlace,
  PercentileQuery,
  PlaceQuery,
  pagesPart,
  placesPart,
  platformsPart,
} from './board-pages.ts';
import { boardTable, heldTable } from './board-table.ts';
import { examplePart } from './example.ts';
import { dryRun, firstSteps } from './first-steps.ts';
import { windowQuery } from './forms.ts';

/** Operators that are named as the day’s movers. */
const MOVERS = 3;

const { window: Asked, limit: Limit, around: Around, at: At } = LeaderboardQuery.shape;

/** The board: its first page, rendered once for each board version, choice and form, and the pages after it. */
export const home = definePage({
  surface: 'site',
  path: '/',
  operationId: 'getHomePage',
  summary: 'The board',
  listed: {
    title: 'The board',
    about: `AI operators ranked by Yield; add window (${WINDOWS.join(', ')}), limit (1 to 100), from (a place), around (a codename), tier, percentile, or at (a kept hour). The board of an AI tool is at /platform/NAME, one of some operators at /list?operators=A,B.`,
  },
  nav: 'Board',
  query: z
    .object({
      window: Asked,
      limit: Limit.unwrap().default(DEFAULT_LIMIT),
      at: At,
      from: PlaceQuery,
      around: Around,
      tier: z.string().optional(),
      percentile: PercentileQuery,
    })
    .superRefine(refuseConflicts(['from', 'around', 'tier', 'percentile'], ['at', 'tier', 'percentile'])),
  problems: [
    'window_invalid',
    'limit_not_an_integer',
    'limit_out_of_bounds',
    'place_invalid',
    'tier_unknown',
    'percentile_invalid',
    'parameters_conflict',
    'board_not_kept',
    'operator_unknown',
    'operator_unranked',
  ],
  cache: BOARD_PAGE_CACHE,
  fastPath: { forMs: Number.POSITIVE_INFINITY },
  async content({ query }, ctx) {
    const { board, config } = ctx;
    const view = board.view();
    const { window, limit, at, from, around, tier, percentile } = query;
    if (around !== undefined || tier !== undefined || percentile !== undefined) return leadToPlace(ctx, query);
    if (at !== undefined || (from !== undefined && from > 1)) return deepPage(ctx, { ...query, from: from ?? 1 });
    // The board is shown without them when the store does not answer.
    const held = await board.held(window, MAX_LEADERBOARD_LIMIT).catch(() => null);
    const make = () => homePage(view, { window, limit }, held ?? NO_HELD, config);
    // Kept, it would lack them until the next board, however soon the store answers again.
    if (held === null) return { make };
    return { make, kept: `home ${view.generation} ${window} ${limit}`, board: view.version };
  },
});

type HeldRows = Awaited<ReturnType<BoardReader['held']>>;

export const NO_HELD: HeldRows = { total: 0, rows: [] };

function homePage(view: BoardOverview, choice: BoardChoice, held: HeldRows, config: Config): SitePage {
  const { window } = choice;
  return {
    surface: 'site',
    canonical: boardRef(choice),
    card: `site:/board.png${windowQuery(window)}`,
    ...followsBoard(view.version, window),
    area: 'Board',
    width: 'tables',
    title: `AI operators ranked by Yield${window === 'all_time' ? '' : ` ${windowSentence(window)}`}`,
    heading: m`Who gets the most out of a token?`,
    description:
      'A public leaderboard of people who use AI tools, ranked by Yield (cache read × output ÷ input²), from signed token counts.',
    data: {
      '@type': 'Dataset',
      name: 'Upsilon: the leaderboard of AI operators',
      description:
        'AI operators ranked by Yield, a token-cascade efficiency score, from signed snapshots of four token counts.',
      isAccessibleForFree: true,
      creator: { '@type': 'Organization', name: 'Upsilon' },
      variableMeasured: ['Yield', 'Leverage', 'Velocity'],
      measurementTechnique: 'Yield = cache_read × output / input²',
    },
    parts: [
      section(
        'hero',
        section(
          'start',
          lede(
            m`A public leaderboard of people who use AI tools, by **Yield** (Υ): the tokens that a tool reads from its cache for each that you send fresh, times those that it writes for each.`,
          ),
          prose(
            m`**See your rank with one command.** It takes token counts from your tools’ logs, no prompts, and submits nothing:`,
          ),
          dryRun(config),
          prose(m`[How to join](site:/developers/getting-started#submit) · [Try other numbers](site:/calculator)`),
        ),
        examplePart(),
      ),
      shownOnly((to) => choicesHtml(choice, to)),
      ...(view.topEntries[window].length === 0
        ? [emptyBoard(view, window, config), ...heldParts(held, window)]
        : boardParts(view, choice, held, config)),
      heading(2, 'Learn more'),
      cards([
        ['How Yield is measured', 'login:/methodology', 'Scores, tiers, windows, ranks, and what rules them out.'],
        ['Calculator', 'site:/calculator', 'The Yield and rank of any counts, and what the next tier takes.'],
        ['Compare operators', 'site:/compare', 'Two to five side by side, with Yield and rank over time.'],
        ['Build on it', 'site:/developers', 'The API, the signature format, limits, errors and versions.'],
      ]),
    ],
  };
}

function boardParts(view: BoardOverview, choice: BoardChoice, held: HeldRows, config: Config): Part[] {
  const { window, limit } = choice;
  const entries = view.topEntries[window].slice(0, limit);
  const [shown, total] = [readable(entries.length), readable(view.totals[window])];
  const caption = `The top ${shown} of ${total} operators, ranked by usage ${windowSentence(window)}`;
  return [
    section(
      'summary',
      prose(
        m`**${shown}** of **${total}** ranked operators, by usage ${windowSentence(window)}. Updated ${time(view.generatedAt)}.`,
        ...movers(view.topEntries[window]),
      ),
    ),
    boardTable(caption, entries, methodologyOf(view).tiers, window),
    pagesPart(choice, view.totals[window]),
    ...heldParts(held, window),
    section(
      'meta',
      prose(
        m`Movement compares with the boards ${keptLink('24 hours', view.movementSince.movement_24h_since, window)} and ${keptLink('7 days', view.movementSince.movement_7d_since, window)} ago: ▲ up, ▼ down, = unchanged, – not ranked then.`,
      ),
      placesPart(choice, methodologyOf(view).tiers),
      platformsPart({ window }),
    ),
    writtenOnly(
      m`Other windows: ${WINDOW_SPECS.map(({ name, label }, index) => m`${index === 0 ? '' : ', '}[${label}](site:/${windowQuery(name)})`)}. Up to ${MAX_LEADERBOARD_LIMIT} entries: add \`limit\`; from a place on: \`from\`. One operator: \`/operators/CODENAME\`. As data: [leaderboard](base:/leaderboard?window=${window}).`,
    ),
    section('note', heading(2, 'Join the board'), firstSteps(config)),
  ];
}

/** Who gained most places since the board of a day ago. */
function movers(entries: BoardOverview['topEntries'][Window]): Inline[] {
  const risen = entries.filter(({ movement_24h: by }) => by !== null && by > 0);
  if (risen.length === 0) return [];
  const most = risen.toSorted((one, other) => other.movement_24h! - one.movement_24h!).slice(0, MOVERS);
  const links = most.map(
    ({ codename, movement_24h: by }) => m` ${link(codename, operatorRef(codename))} ${movement(by)}`,
  );
  return [m`Movers of the day among the first ${MAX_LEADERBOARD_LIMIT}:${links}`];
}

/** Operators that are not settled yet, folded away. */
export function heldParts({ total, rows }: HeldRows, window: Window): Part[] {
  if (total === 0) return [];
  const label = total === 1 ? '1 operator is not settled yet' : `${readable(total)} operators are not settled yet`;
  const shown = rows.length < total ? m` The highest ${readable(rows.length)}:` : m``;
  const about = m`The more extraordinary a Yield, the more days this service has to have seen such usage arrive: see [how a place is settled](login:/methodology#settled).${shown}`;
  return [folded(label, prose(about), heldTable(rows, window))];
}

function emptyBoard(view: BoardOverview, window: Window, config: Config): Part {
  const elsewhere = view.totals.all_time > 0;
  return section(
    'empty',
    heading(2, elsewhere ? 'No operators in this window' : 'No operators yet'),
    elsewhere
      ? prose(
          m`No operator has reported usage ${windowSentence(window)}. Operators on [the all-time board](site:/): ${readable(view.totals.all_time)}.`,
        )
      : prose(m`No snapshot has been submitted yet, and Upsilon shows no sample data. Be the first:`),
    firstSteps(config),
    prose(m`Last updated ${time(view.generatedAt)}. A submission appears here within seconds.`),
  );
}
