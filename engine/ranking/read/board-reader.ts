import { freshFlight } from '../../../config/single-flight.ts';
import { HOUR_MS } from '../../../config/units.ts';
import { type HourRange, shownDisplayName } from '../../contract/index.ts';
import type { Counts } from '../../contract/signing/index.ts';
import { byWindow, type Window } from '../../contract/windows.ts';
import type { RankingContext } from '../context.ts';
import { percentileOf } from '../core/score.ts';
import type { TopEntryDocument } from '../storage/board-parts.ts';
import type { BoardEntry, BoardOverview } from '../types.ts';
import type { PageRequest } from './board-page.ts';
import { type BoardState, type LoadedBoard, loadBoard, rankedIn } from './board-state.ts';
import { type BoardView, boardView, rankOfTotals } from './board-view.ts';
import { createHistories } from './history.ts';
import { createFormerStates } from './kept-boards.ts';
import { createLeagueBoards, type LeagueRequest } from './league-board.ts';
import { movementSince } from './movement.ts';
import { createPageCache, firstOfTries, MAX_TRIES, MissingPartError } from './page-cache.ts';
import { createRankChanges } from './rank-change.ts';
import { type StandingRequest, standingOn } from './standing.ts';

/** Cached order pages of platforms: each of their runs writes all of them again. */
const PLATFORM_PAGES = 64;

/** How often the manifest's generation is read without a hint about a new version. */
const POLL_MS = 1_000;

interface ShownBoard extends LoadedBoard {
  readonly view: BoardOverview;
}

/** Follows the published board and serves reads from it. */
export type BoardReader = Awaited<ReturnType<typeof openBoardReader>>;

/** Opens a reader that tracks the newest published version until it is closed. Throws when there is no board yet. */
export async function openBoardReader(context: RankingContext, onError: (error: unknown) => void) {
  const { stores } = context;
  const pages = createPageCache(stores.parts);
  const histories = createHistories(stores.parts, pages);
  const former = createFormerStates(stores.parts);
  const rankChanges = createRankChanges(former, pages);
  const leagueBoard = createLeagueBoards(context.clock);
  const platforms = { states: createFormerStates(stores.parts), pages: createPageCache(stores.parts, PLATFORM_PAGES) };
  const parts = { context, pages, histories, former, rankChanges, platforms };
  const listeners = new Set<(view: BoardOverview) => void>();
  let current = await load(context, null);

  async function loadNewest(): Promise<void> {
    const generation = await stores.board.generation();
    if (generation === null || generation === current.state.manifest.generation) return;
    current = await load(context, current);
    for (const listener of listeners) listener(current.view);
  }

  // A read that began before a hint may not have seen the version that it is about.
  const refresh = freshFlight(loadNewest);

  /** Runs a query on one board version. Runs it again when garbage collection removed that version meanwhile. */
  async function onNewest<T>(query: (state: BoardState, overview: BoardOverview) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await query(current.state, current.view);
      } catch (error) {
        if (!(error instanceof MissingPartError) || tries === MAX_TRIES) throw error;
        await refresh();
      }
    }
  }

  /** As `onNewest`, with a consistent view of the version. */
  const withBoardView = <T>(query: (board: BoardView) => Promise<T>): Promise<T> =>
    onNewest((state, overview) => query(boardView(parts, state, overview)));

  const timer = setInterval(() => void refresh().catch(onError), POLL_MS).unref();

  return {
    /** The newest version known to this process. */
    view: () => current.view,
    /** Calls the listener after each new version; the returned function unsubscribes. */
    onView(listener: (view: BoardOverview) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Checks for a newer version now, after a hint; a timer does the same. */
    refresh,
    withBoardView,
    page: (request: PageRequest) => withBoardView((board) => board.page(request)),
    league: (request: LeagueRequest) => onNewest((state) => leagueBoard(parts, state, request)),
    standing: (request: StandingRequest) => onNewest((state) => standingOn(parts, state, request)),
    held: (window: Window, limit: number) => withBoardView((board) => board.held(window, limit)),
    profile: (codename: string) => withBoardView((board) => board.profile(codename)),
    keptProfile: (codename: string, at: HourRange) => withBoardView((board) => board.keptProfile(codename, at)),
    rankOfTotals: (operator: number, totals: Counts) =>
      onNewest((state) => rankOfTotals(parts, state, operator, totals)),
    neighbours: (codename: string, window: Window, around: number) =>
      withBoardView((board) => board.neighbours(codename, window, around)),
    history: (codename: string, window: Window, since?: number) =>
      withBoardView((board) => board.history(codename, window, since)),
    async close(): Promise<void> {
      clearInterval(timer);
      listeners.clear();
      await refresh.settled();
    },
  };
}

async function load({ stores }: RankingContext, former: ShownBoard | null): Promise<ShownBoard> {
  const board = await firstOfTries(async () => {
    const manifest = await stores.board.read();
    if (manifest === null) throw new Error('there is no board yet: start a worker first');
    return loadBoard(stores.parts, manifest, former);
  });
  if (board !== null) return { ...board, view: viewOf(board) };
  throw new Error(`the board could not be read: parts were missing in ${MAX_TRIES} versions`);
}

function viewOf({ state, topEntries }: LoadedBoard): BoardOverview {
  const { version, generation, methodology, generated_at, hour, totals } = state.manifest;
  return {
    version,
    generation,
    methodology,
    generatedAt: generated_at.getTime(),
    hourBeganAt: hour * HOUR_MS,
    movementSince: movementSince(state.manifest),
    totals: byWindow((window) => totals[window] ?? 0),
    topEntries: byWindow((window) =>
      (topEntries[window] ?? []).map((entry) => publicEntry(entry, rankedIn(state, window))),
    ),
  };
}

function publicEntry({ operator: _operator, ...entry }: TopEntryDocument, total: number): BoardEntry {
  return { ...entry, display_name: shownDisplayName(entry.display_name), percentile: percentileOf(entry.rank, total) };
}
