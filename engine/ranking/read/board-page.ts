import type { HourRange } from '../../contract/index.ts';
import type { Platform } from '../../contract/platforms.ts';
import { codenameKey, UNSPECIFIED_PLATFORM } from '../../contract/signing/index.ts';
import type { Missing, UnrankedReason } from '../../contract/unranked.ts';
import { WINDOWS, type Window } from '../../contract/windows.ts';
import { methodologyOf } from '../context.ts';
import type { RankedEntry } from '../core/board/index.ts';
import { entriesOf, type UnplacedEntry } from '../core/entry.ts';
import { percentileOf, tierOf, unrankedReason } from '../core/score.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import type { OperatorSummary } from '../storage/operators.ts';
import type { BoardEntry, BoardOverview, BoardRow, MovementSince } from '../types.ts';
import { positionOfYield, publishedYield, rankOfYield, readSlice } from './board-ranks.ts';
import { type BoardState, rankedIn } from './board-state.ts';
import type { HeldRow } from './held-rows.ts';
import { keptAt } from './kept-boards.ts';
import { movementIn, movementSince, NO_MOVEMENT } from './movement.ts';
import type { PageCache } from './page-cache.ts';
import { onPlatform, platformBoard } from './platform-board.ts';
import { missingOf } from './profile.ts';
import type { ViewParts } from './view-parts.ts';
import { countsOf } from './window-scores.ts';

/** Which rows: from a 0-based place on, those around an operator, or some operators ranked among themselves. */
export type PageStart =
  | { readonly offset: number }
  | { readonly around: string }
  | { readonly operators: readonly string[] };

export interface PageRequest {
  readonly window: Window;
  /** Most rows. */
  readonly limit: number;
  readonly start: PageStart;
  /** A kept board; null: the newest. */
  readonly at: HourRange | null;
  /** Ranks by the counts of this platform alone, on the newest board. */
  readonly platform?: Platform | null;
}

/** A row of a page. On a kept board it has what was kept; in a list `rank` counts its members, and `global_rank` all operators. */
export type PageRow = Pick<BoardEntry, 'codename' | 'display_name' | 'platform' | 'rank' | 'percentile' | 'yield_'> &
  Partial<BoardEntry> & { readonly global_rank?: number | null; readonly held?: boolean };

export interface BoardPage {
  readonly kind: 'page';
  /** The version, for the newest board. */
  readonly version: number | null;
  readonly methodology: number;
  /** When the board was made, or the hour of a kept one, in milliseconds since the epoch. */
  readonly boardAt: number;
  /** The boards that movements of rows are measured from; null where the board has no movements. */
  readonly movementSince: MovementSince | null;
  /** Ranked operators of the window. */
  readonly total: number;
  /** The 0-based place of the first row; null for a list. */
  readonly offset: number | null;
  readonly rows: readonly PageRow[];
  /** On the first page of a public league: the rows that are not settled yet, by Yield, with the ranks that they would have in it. */
  readonly held?: { readonly total: number; readonly rows: readonly HeldRow[] };
  /** Of a list: the codenames that no operator has, and the operators that are not ranked on the board. */
  readonly notFound: readonly string[];
  readonly unranked: readonly string[];
}

/** Why there is no page. */
export type NoPage = { readonly kind: 'not_kept' } | { readonly kind: 'operator_unknown' } | UnrankedOperator;

/** An operator that a board does not have. `reason` is null where the record does not say why: on a kept board, or while it changes. */
export interface UnrankedOperator {
  readonly kind: 'operator_unranked';
  readonly codename: string;
  readonly reason: UnrankedReason | null;
  readonly platform: Platform | null;
  /** The row that it would have where it is held, and what that lacks. */
  readonly held: UnplacedEntry | null;
  readonly missing: Missing[];
}

/** The board that a page is of. */
export interface PagedBoard {
  readonly state: BoardState;
  readonly pages: PageCache;
  readonly window: number;
  readonly platform: Platform | null;
  readonly isKept: boolean;
}

/** Rows of the newest board, of a kept one or of a platform's, in board order. `overview` is of the newest board, whose first rows are ready. */
export async function boardPage(
  parts: ViewParts,
  newest: BoardState,
  { topEntries }: BoardOverview,
  { window: name, limit, start, at, platform = null }: PageRequest,
): Promise<BoardPage | NoPage> {
  const board = await pagedBoard(parts, newest, { window: name, at, platform });
  if (board === null) return { kind: 'not_kept' };
  const { state, pages, window } = board;
  const head = pageHead(board);
  if ('operators' in start) {
    const { ranked, notFound, unranked } = await membersOf(parts, board, start.operators);
    return { ...head, offset: null, rows: amongThemselves(await shownRows(parts, board, ranked)), notFound, unranked };
  }
  const slice = 'offset' in start ? { offset: start.offset, limit } : await around(parts, board, limit, start.around);
  if ('kind' in slice) return slice;
  const top = topEntries[name];
  const isReady = state === newest && slice.offset === 0 && (limit <= top.length || top.length === head.total);
  const rows = isReady
    ? top.slice(0, slice.limit)
    : await shownRows(parts, board, await readSlice(pages, state, { window, ...slice }));
  return { ...head, offset: slice.offset, rows, notFound: [], unranked: [] };
}

/** The board that a request is of; null where it is not kept. */
export async function pagedBoard(
  parts: ViewParts,
  newest: BoardState,
  { window: name, at, platform = null }: Pick<PageRequest, 'window' | 'at' | 'platform'>,
): Promise<PagedBoard | null> {
  const kept = at && keptAt(newest.manifest, at);
  if (at !== null && kept === null) return null;
  const ofAll = kept === null ? newest : await parts.former.kept(newest.manifest, kept);
  const state = platform === null ? ofAll : await platformBoard(parts, newest, platform);
  const pages = platform === null ? parts.pages : parts.platforms.pages;
  return { state, pages, window: WINDOWS.indexOf(name), platform, isKept: kept !== null };
}

/** What a page says of its board. */
export function pageHead({ state, window, platform, isKept }: PagedBoard) {
  const { manifest } = state;
  return {
    kind: 'page',
    version: isKept ? null : manifest.version,
    methodology: manifest.methodology,
    boardAt: manifest.generated_at.getTime(),
    movementSince: isKept || platform !== null ? null : movementSince(manifest),
    total: rankedIn(state, window),
  } as const;
}

/** The Yield by which an operator is placed; NaN when it is not ranked. On a platform's board it is that of the record. */
export async function placedYield(
  { context }: Pick<ViewParts, 'context'>,
  { state, pages, window, platform }: PagedBoard,
  summary: OperatorSummary,
): Promise<number> {
  if (platform === null) return publishedYield(pages, state, summary.operator, window);
  const own = onPlatform(summary, platform);
  const methodology = methodologyOf(context, state.manifest);
  return (own && entriesOf(own, methodology)[window]!.entry?.yield_) ?? Number.NaN;
}

/** The rows around an operator, fewer at an end of the board. */
async function around(
  parts: ViewParts,
  board: PagedBoard,
  limit: number,
  codename: string,
): Promise<{ readonly offset: number; readonly limit: number } | NoPage> {
  const { state, pages, window, platform } = board;
  const summary = await parts.context.stores.operators.byCodename(codename);
  if (summary?.listed !== true) return { kind: 'operator_unknown' };
  const yield_ = await placedYield(parts, board, summary);
  if (Number.isNaN(yield_)) {
    const now = board.isKept ? UNKNOWN_CAUSE : unrankedNow(parts, board, summary);
    return { kind: 'operator_unranked', codename: summary.codename, platform, ...now };
  }
  const position = await positionOfYield(pages, state, { operator: summary.operator, window, yield_ });
  const first = position - Math.floor(limit / 2);
  const offset = Math.max(0, first);
  return { offset, limit: first + limit - offset };
}

const UNKNOWN_CAUSE = { reason: null, held: null, missing: [] };

/** Why an operator has no rank on a board by its record; `reason` is null when it has one. */
function unrankedNow(
  { context }: ViewParts,
  { state, window, platform }: PagedBoard,
  summary: OperatorSummary,
): Pick<UnrankedOperator, 'reason' | 'held' | 'missing'> {
  const methodology = methodologyOf(context, state.manifest);
  const own = platform === null ? summary : onPlatform(summary, platform);
  if (own === null) return { ...UNKNOWN_CAUSE, reason: 'no_tokens' };
  const { entry, held, result } = entriesOf(own, methodology)[window]!;
  if (entry !== null) return UNKNOWN_CAUSE;
  if (held !== null) return { reason: 'held', held, missing: missingOf(own, result, methodology) };
  const reason = unrankedReason(countsOf(own.totals, window), methodology) ?? 'excluded';
  return { ...UNKNOWN_CAUSE, reason };
}

/** Operators with their Yields and ranks on a board, NaN and null where they have none there. */
export function placesOn(parts: ViewParts, board: PagedBoard, found: readonly OperatorSummary[]) {
  const { state, pages, window } = board;
  return Promise.all(
    found.map(async (summary) => {
      const { operator, codename } = summary;
      const yield_ = await placedYield(parts, board, summary);
      const rank = Number.isNaN(yield_) ? null : await rankOfYield(pages, state, { operator, window, yield_ });
      return { summary, operator, codename, yield_, rank };
    }),
  );
}

/** The operators of a list with their places on the board, best first. */
async function membersOf(parts: ViewParts, board: PagedBoard, codenames: readonly string[]) {
  const keys = [...new Set(codenames.map(codenameKey))];
  const found = (await parts.context.stores.operators.byCodenames(keys)).filter(({ listed }) => listed);
  const places = await placesOn(parts, board, found);
  const known = new Set(found.map(({ codename }) => codename));
  return {
    ranked: places
      .flatMap(({ operator, yield_, rank }): RankedEntry[] => (rank === null ? [] : [{ operator, yield_, rank }]))
      .toSorted((a, b) => b.yield_ - a.yield_ || a.operator - b.operator),
    notFound: keys.filter((key) => !known.has(key)),
    unranked: places.flatMap(({ codename, rank }) => (rank === null ? codename : [])),
  };
}

/** Rows in board order with ranks that count these rows; equal Yields share one. */
function amongThemselves(rows: readonly PageRow[]): PageRow[] {
  let rank = 0;
  return rows.map((row, index) => {
    if (rows[index - 1]?.rank !== row.rank) rank = index + 1;
    return { ...row, rank, global_rank: row.rank };
  });
}

/** Rows of entries in board order, with movements on the newest board. Omits operators that have left the board since. */
async function shownRows(
  parts: ViewParts,
  board: PagedBoard,
  ranked: readonly RankedEntry[],
): Promise<readonly PageRow[]> {
  if (board.isKept) return keptRows(parts, board, ranked);
  const rows = await recordRows(parts, board, ranked);
  return Promise.all(
    rows.map(async ({ operator, row }) => {
      if (board.platform !== null) return { ...row, ...NO_MOVEMENT };
      const place = { operator, window: board.window, rank: row.rank };
      return { ...row, ...(await movementIn(parts, board.state.manifest, place)) };
    }),
  );
}

/** What a board says of a Yield by itself. */
export function placeOf(yield_: number, rank: number, total: number, methodology: Methodology) {
  return { yield_, class_tier: tierOf(yield_, methodology), rank, percentile: percentileOf(rank, total) };
}

/** Entries with their places and present records, by one read for all. Omits operators that are unlisted now. */
async function placed(
  { context }: ViewParts,
  { state, window }: Pick<PagedBoard, 'state' | 'window'>,
  ranked: readonly RankedEntry[],
) {
  const methodology = methodologyOf(context, state.manifest);
  // On a platform's board an operator that it does not have yet can be placed behind all others.
  const total = ranked.reduce((most, { rank }) => Math.max(most, rank), rankedIn(state, window));
  const summaries = await context.stores.operators.summaries(ranked.map(({ operator }) => operator));
  const byNumber = new Map(summaries.map((summary) => [summary.operator, summary]));
  return ranked.flatMap(({ operator, yield_, rank }) => {
    const summary = byNumber.get(operator);
    return summary?.listed === true ? [{ summary, place: placeOf(yield_, rank, total, methodology) }] : [];
  });
}

/** Rows of the newest board, or of a platform's, without movements. Omits operators that are not rankable now. */
export async function recordRows(
  parts: ViewParts,
  board: Pick<PagedBoard, 'state' | 'window' | 'platform'>,
  ranked: readonly RankedEntry[],
): Promise<{ readonly operator: number; readonly row: BoardRow }[]> {
  const { state, window, platform } = board;
  const methodology = methodologyOf(parts.context, state.manifest);
  return (await placed(parts, board, ranked)).flatMap(({ summary, place }) => {
    const own = platform === null ? summary : onPlatform(summary, platform);
    const { entry = null } = own === null ? {} : entriesOf(own, methodology)[window]!;
    // The record may be newer than the board.
    return entry === null ? [] : [{ operator: summary.operator, row: { ...entry, ...place } }];
  });
}

/** Rows of a kept board, with the names and platforms of now. */
async function keptRows(parts: ViewParts, board: PagedBoard, ranked: readonly RankedEntry[]): Promise<PageRow[]> {
  return (await placed(parts, board, ranked)).map(({ summary, place }) => {
    const { codename, displayName: display_name, platforms } = summary;
    return {
      codename,
      display_name,
      platform: platforms[board.window] ?? UNSPECIFIED_PLATFORM,
      ...place,
      ...NO_MOVEMENT,
    };
  });
}
