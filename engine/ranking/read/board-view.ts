import { HOUR_MS } from '../../../config/units.ts';
import type { HourRange } from '../../contract/index.ts';
import type { Platform } from '../../contract/platforms.ts';
import type { Counts } from '../../contract/signing/index.ts';
import { WINDOWS, type Window } from '../../contract/windows.ts';
import { methodologyOf } from '../context.ts';
import { entriesOf } from '../core/entry.ts';
import { largestBelow } from '../core/largest-below.ts';
import { nearestCodenames } from '../core/nearest-codenames.ts';
import { scoreOf } from '../core/score.ts';
import type { OperatorSummary } from '../storage/operators.ts';
import type { BoardOverview, BoardRow, OperatorHistory, Profile, RowIntegrity } from '../types.ts';
import { boardPage, type PageRequest, type PageRow, pagedBoard, placeOf, recordRows } from './board-page.ts';
import { countAbove, publishedYield, rankOfYield, readSlice, totalWith } from './board-ranks.ts';
import { type BoardState, rankedIn } from './board-state.ts';
import { type FeedItem, feedOf } from './feed.ts';
import { heldRowsOn } from './held-rows.ts';
import { keptBoardsOf } from './kept-boards.ts';
import { type KeptProfile, keptProfileOn } from './kept-profile.ts';
import { HOURS_7D, HOURS_24H } from './movement.ts';
import { openRowPage } from './open-row.ts';
import { profileOn } from './profile.ts';
import { type StandingRequest, standingOn } from './standing.ts';
import type { ViewParts } from './view-parts.ts';
import { countsOf } from './window-scores.ts';

/** Candidate codenames on each side, in code-unit order, of one that does not exist. */
const CANDIDATES_PER_SIDE = 16;
const RECORDS_PER_READ = 1_000;
const ALL_TIME = WINDOWS.indexOf('all_time');

/** Factors for an operator's totals. */
export type CountFactors = Pick<Counts, 'input' | 'output' | 'cache_read'>;

/** The what-if result for other totals. The operator's own entry is excluded from the ranking. */
export type SimulatedStanding = Omit<BoardRow, 'codename' | 'display_name' | 'platform' | keyof RowIntegrity>;

/** Where a tier lies on a board. */
export type TierRange = Awaited<ReturnType<BoardView['tierRanges']>>[number];

/** A consistent view of one board version, for reads that take several queries. */
export type BoardView = ReturnType<typeof boardView>;

/** A view of one board version. Names, ratios and platforms come from the operators' current records. */
export function boardView(parts: ViewParts, state: BoardState, overview: BoardOverview) {
  const { context } = parts;
  const methodology = methodologyOf(context, state.manifest);
  const find = async (codename: string): Promise<OperatorSummary | null> => {
    const summary = await context.stores.operators.byCodename(codename);
    return summary?.listed === true ? summary : null;
  };
  return {
    /** Its overview, and when it is read, in milliseconds since the epoch. */
    view: { ...overview, readAt: context.clock() },
    methodology,
    /** Rows from `offset` (0-based) in board order, at most `limit`, without movements: much cheaper than `page`. */
    async rows(name: Window, offset: number, limit: number): Promise<readonly BoardRow[]> {
      const board = { state, window: WINDOWS.indexOf(name), platform: null };
      const ranked = await readSlice(parts.pages, state, { ...board, offset, limit });
      return (await recordRows(parts, board, ranked)).map(({ row }) => row);
    },

    /** The held rows with the highest Yields, at most `limit`, and how many there are. */
    held: (window: Window, limit: number) => heldRowsOn(parts, state, WINDOWS.indexOf(window), limit),

    /** An operator's profile by codename (any case); null when there is none. */
    async profile(codename: string): Promise<Profile | null> {
      const summary = await find(codename);
      return summary && profileOn(parts, state, summary);
    },

    /** An operator's Yields and ranks on the kept boards and the current one, and its change `since` a moment; null without the operator. */
    async history(codename: string, window: Window, since?: number): Promise<OperatorHistory | null> {
      const summary = await find(codename);
      return summary && historyOf(parts, state, summary, window, since);
    },

    /** For each of `changes` to an operator's totals, the rest unchanged: null if unrankable. Null for an unknown operator. */
    async simulate(
      codename: string,
      window: Window,
      changes: readonly CountFactors[],
    ): Promise<readonly (SimulatedStanding | null)[] | null> {
      const summary = await find(codename);
      return summary && Promise.all(changes.map((change) => simulate(parts, state, summary, window, change)));
    },

    ...pageQueries(parts, state, overview, find),
    ...populationQueries(parts, state),
  };
}

/** Queries of pages, kept boards, places, and of operators on them. */
function pageQueries(
  parts: ViewParts,
  state: BoardState,
  overview: BoardOverview,
  find: (codename: string) => Promise<OperatorSummary | null>,
) {
  /** Rows of this board or of a kept one; says why where there are none. */
  const page = (request: PageRequest) => boardPage(parts, state, overview, request);
  return {
    page,
    /** The operator's own row with at most `around` rows on either side, in board order; empty when it is not ranked. */
    async neighbours(codename: string, window: Window, around: number): Promise<readonly PageRow[]> {
      const found = await page({ window, limit: 2 * around + 1, start: { around: codename }, at: null });
      return found.kind === 'page' ? found.rows : [];
    },
    keptBoards: () => keptBoardsOf(state.manifest),
    /** What happened lately on the board, or to an operator; null when there is no such operator. */
    async feed(codename: string | null): Promise<readonly FeedItem[] | null> {
      const summary = codename === null ? undefined : await find(codename);
      return summary === null ? null : feedOf(parts, state, summary?.operator ?? null);
    },
    standing: (request: StandingRequest) => standingOn(parts, state, request),
    /** An operator's profile for itself, with the ranks that it would have while it is on no board; null when it is gone. */
    async ownProfile(operator: number): Promise<Profile | null> {
      const [summary] = await parts.context.stores.operators.summaries([operator]);
      return summary === undefined || summary.codename === '' ? null : profileOn(parts, state, summary);
    },
    /** A page (`openRowPage`) of an operator's log, null where it did not open it; null when there is no such operator. */
    async openRow(codename: string, before: string | null) {
      const summary = await find(codename);
      if (summary?.open !== true) return summary && { operator: summary.operator, page: null };
      const opened = await openRowPage(parts, state, summary, before);
      return opened && { operator: summary.operator, page: opened };
    },
    /** An operator on a kept board; null when there is no such operator, undefined when the board is not kept. */
    async keptProfile(codename: string, at: HourRange): Promise<KeptProfile | null | undefined> {
      const summary = await find(codename);
      return summary && ((await keptProfileOn(parts, state, summary, at)) ?? undefined);
    },
  };
}

/** The all-time rank of these totals, with the operator's own entry excluded; null when they cannot be ranked. */
export function rankOfTotals(
  { context, pages }: Pick<ViewParts, 'context' | 'pages'>,
  state: BoardState,
  operator: number,
  totals: Counts,
): Promise<number | null> {
  const score = scoreOf(totals, methodologyOf(context, state.manifest));
  if (score === null) return Promise.resolve(null);
  return rankOfYield(pages, state, { operator, window: ALL_TIME, yield_: score.yield_ });
}

/** Queries of all operators, ranked or not, and of totals among them. */
function populationQueries(parts: ViewParts, newest: BoardState) {
  const { context } = parts;
  const { operators } = context.stores;
  return {
    /** The highest operator number, ranked or not; null without operators. */
    highestNumber: () => operators.highestNumber(),

    /**
     * Codenames of operators with numbers in [from, until) that have an all-time rank, ordered by number. Numbers are never
     * reused, so consecutive ranges neither miss nor repeat an operator across board versions.
     */
    async rankedNames(from: number, until: number): Promise<readonly string[]> {
      const found: string[] = [];
      for await (const names of operators.namesBetween(from, until, RECORDS_PER_READ)) {
        for (const { operator, codename, listed } of names) {
          if (listed && !Number.isNaN(await publishedYield(parts.pages, newest, operator, ALL_TIME)))
            found.push(codename);
        }
      }
      return found;
    },

    /**
     * The ranges of all tiers in a window of the board of all, or of a platform's, highest first: positions [start, end) on the board, and Yields [from, below); `below` is
     * null for the highest tier.
     */
    tierRanges: async (of: Window, platform: Platform | null = null) => {
      const { state, pages, window } = (await pagedBoard(parts, newest, { window: of, at: null, platform }))!;
      const { tiers } = methodologyOf(context, state.manifest);
      const ends = await Promise.all(
        tiers.map(async ({ from }) =>
          from > 0 ? countAbove(pages, state, window, largestBelow(from)) : rankedIn(state, window),
        ),
      );
      return tiers
        .map(({ name, from }, index) => {
          return { name, from, below: tiers[index + 1]?.from ?? null, start: ends[index + 1] ?? 0, end: ends[index]! };
        })
        .toReversed();
    },

    /** Listed codenames that begin with a text, in order, at most `limit`. */
    codenamesFrom: (prefix: string, limit: number) => operators.codenamesFrom(prefix.toLowerCase(), limit),

    /** Listed codenames most similar to an unknown one, best match first, at most `limit`. */
    async codenamesLike(codename: string, limit: number): Promise<readonly string[]> {
      const around = await operators.codenamesAround(codename, CANDIDATES_PER_SIDE);
      return nearestCodenames(codename.toLowerCase(), around, limit);
    },
  };
}

async function historyOf(
  { context, histories, rankChanges }: ViewParts,
  state: BoardState,
  summary: OperatorSummary,
  name: Window,
  since?: number,
): Promise<OperatorHistory> {
  const { operator, codename } = summary;
  const window = WINDOWS.indexOf(name);
  const of = { operator, window };
  const present = () => entriesOf(summary, methodologyOf(context, state.manifest))[window]?.entry?.yield_ ?? Number.NaN;
  const hoursSince = (moment: number): number => state.manifest.hour - Math.floor(moment / HOUR_MS);
  const points = await histories.of(state, operator, name);
  const switches = await rankChanges.switches(state, operator, window);
  const changes = {
    '24h': await rankChanges.since(state, of, HOURS_24H),
    '7d': await rankChanges.since(state, of, HOURS_7D),
    ...(since === undefined ? {} : { since: await rankChanges.since(state, of, hoursSince(since), present()) }),
  };
  return { codename, window: name, board_version: state.manifest.version, points, switches, changes };
}

async function simulate(
  { context, pages }: ViewParts,
  state: BoardState,
  summary: OperatorSummary,
  name: Window,
  factors: CountFactors,
): Promise<SimulatedStanding | null> {
  const window = WINDOWS.indexOf(name);
  const methodology = methodologyOf(context, state.manifest);
  const { input, output, cache_read, cache_write } = countsOf(summary.totals, window);
  const totals = {
    input: input * factors.input,
    output: output * factors.output,
    cache_read: cache_read * factors.cache_read,
    cache_write,
  };
  const score = scoreOf(totals, methodology);
  if (score === null) return null;
  const rank = await rankOfYield(pages, state, { operator: summary.operator, window, yield_: score.yield_ });
  const total = await totalWith(pages, state, summary.operator, window);
  return { ...score, ...placeOf(score.yield_, rank, total, methodology) };
}
