import * as z from 'zod';
import type { Config } from '../../../config/config.ts';
import {
  LeaderboardQuery,
  MAX_LEADERBOARD_LIMIT,
  WINDOW_SPECS,
  WINDOWS,
  type Window,
  windowSentence,
} from '../../../engine/contract/index.ts';
import type { BoardOverview, BoardReader } from '../../../engine/ranking/index.ts';
import { type Html, html } from '../../html.ts';
import { BOARD_PAGE_CACHE, definePage, methodologyOf } from '../page.ts';
import type { Ref, Resolver } from '../render/addresses.ts';
import { m, time } from '../render/inline.ts';
import { readable } from '../render/numbers.ts';
import type { SitePage } from '../render/page-text.ts';
import { cards, folded, heading, lede, type Part, prose, section, shownOnly, writtenOnly } from '../render/parts.ts';
import { boardTable, heldTable } from './board-table.ts';
import { firstSteps } from './first-steps.ts';
import { choiceList, findForm, windowChoices, windowQuery } from './forms.ts';
import { yieldFormula } from './formula.ts';

/** Entries that the home page shows when none are asked for. */
const DEFAULT_HOME_LIMIT = 25;

const LIMITS_OFFERED = [10, DEFAULT_HOME_LIMIT, 50, MAX_LEADERBOARD_LIMIT] as const;

const { window: Asked, limit: Limit } = LeaderboardQuery.shape;

/** The board, rendered once for each board version, choice and form. */
export const home = definePage({
  surface: 'site',
  path: '/',
  operationId: 'getHomePage',
  summary: 'The board',
  listed: {
    title: 'The board',
    about: `AI operators ranked by Yield; add window (${WINDOWS.join(', ')}) and limit (1 to 100).`,
  },
  nav: 'Board',
  query: z.object({ window: Asked, limit: Limit.unwrap().default(DEFAULT_HOME_LIMIT) }),
  problems: ['window_invalid', 'limit_not_an_integer', 'limit_out_of_bounds'],
  cache: BOARD_PAGE_CACHE,
  fastPath: { forMs: Number.POSITIVE_INFINITY },
  async content({ query }, { board, config }) {
    const view = board.view();
    const { window, limit } = query;
    // The board is shown without them when the store does not answer.
    const held = await board.held(window, MAX_LEADERBOARD_LIMIT).catch(() => NO_HELD);
    return {
      make: () => homePage(view, query, held, config),
      kept: `home ${view.version} ${window} ${limit}`,
      board: view.version,
    };
  },
});

type HomeChoice = Readonly<{ window: Window; limit: number }>;

type HeldRows = Awaited<ReturnType<BoardReader['held']>>;

const NO_HELD: HeldRows = { total: 0, rows: [] };

function homePage(view: BoardOverview, choice: HomeChoice, held: HeldRows, config: Config): SitePage {
  const { window } = choice;
  return {
    surface: 'site',
    canonical: addressOf(choice),
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
        lede(
          m`Upsilon ranks AI operators by Yield: how many tokens are read from cache and written as output for each token of input. Counts are signed on each operator’s own machine.`,
        ),
        yieldFormula(),
      ),
      shownOnly((to) => choicesHtml(choice, to)),
      ...(view.topEntries[window].length === 0
        ? [emptyBoard(view, window, config), ...heldParts(held, window)]
        : boardParts(view, choice, held, config)),
      heading(2, 'Learn more'),
      cards([
        [
          'How Yield is measured',
          'login:/methodology',
          'Scores, tiers, windows, ranks, and a calculator for your own counts.',
        ],
        ['Compare two operators', 'site:/compare', 'Side by side, with Yield and rank over time.'],
        ['Build on it', 'site:/developers', 'The API, the signature format, limits, errors and versions.'],
      ]),
    ],
  };
}

function boardParts(view: BoardOverview, { window, limit }: HomeChoice, held: HeldRows, config: Config): Part[] {
  const entries = view.topEntries[window].slice(0, limit);
  const [shown, total] = [readable(entries.length), readable(view.totals[window])];
  const caption = `The top ${shown} of ${total} operators, ranked by usage ${windowSentence(window)}`;
  return [
    section(
      'summary',
      prose(
        m`**${shown}** of **${total}** ranked operators, by usage ${windowSentence(window)}. Updated ${time(view.generatedAt)}.`,
      ),
    ),
    boardTable(caption, entries, methodologyOf(view).tiers, window),
    ...heldParts(held, window),
    section(
      'meta',
      prose(
        m`Movement compares with the boards 24 hours and 7 days ago: ▲ up, ▼ down, = unchanged, – not ranked then.`,
      ),
    ),
    writtenOnly(
      m`Other windows: ${WINDOW_SPECS.map(({ name, label }, index) => m`${index === 0 ? '' : ', '}[${label}](site:/${windowQuery(name)})`)}. Up to ${MAX_LEADERBOARD_LIMIT} entries: add \`limit\`. One operator: \`/operators/CODENAME\`. As data: [leaderboard](base:/leaderboard?window=${window}).`,
    ),
    section('note', heading(2, 'Join the board'), firstSteps(config)),
  ];
}

/** Rows that are not settled yet, folded away. */
function heldParts({ total, rows }: HeldRows, window: Window): Part[] {
  if (total === 0) return [];
  const label = total === 1 ? '1 row is not settled yet' : `${readable(total)} rows are not settled yet`;
  const shown = rows.length < total ? m` The highest ${readable(rows.length)}:` : m``;
  const about = m`The more extraordinary a Yield, the more days this service has to have seen such usage arrive: see [how rows are settled](login:/methodology#settled).${shown}`;
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

function choicesHtml({ window, limit }: HomeChoice, to: Resolver): Html {
  const windows = windowChoices(window, (other) => addressOf({ window: other, limit }), to);
  const lengths = LIMITS_OFFERED.map(
    (other) => [`${other}`, addressOf({ window, limit: other }), other === limit, 'operators'] as const,
  );
  return html`<div class="choices">${windows}<div class="lengths"><span aria-hidden="true">Show</span>${choiceList('Length', lengths, to)}</div>${findForm(to)}</div>`;
}

/** Default values are left out: one board has one address. */
function addressOf({ window, limit }: HomeChoice): Ref {
  return `site:/${windowQuery(window, limit === DEFAULT_HOME_LIMIT ? '' : `limit=${limit}`)}`;
}
