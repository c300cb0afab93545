import type { HourRange } from '../../contract/index.ts';
import type { Platform } from '../../contract/platforms.ts';
import { codenameKey, UNSPECIFIED_PLATFORM } from '../../contract/signing/index.ts';
import type { Missing, UnrankedReason } from '../../contract/unranked.ts';
import { WINDOWS, type Window } from '../../contract/windows.ts';
import { methodologyOf } from '../context.ts';
import type { RankedEntry } from '../core/board/index.ts';
import { entriesOf, type UnplacedEntry } from '../core/entry.ts';
import { percentileOf, tierOf, unrankedReason } from '../core/score.ts';
import type { OperatorSummary } from '../storage/operators.ts';
import type { BoardEntry, BoardOverview, MovementSince } from '../types.ts';
import { positionOfYield, publishedYield, rankOfYield, readSlice } from './board-ranks.ts';
import { type BoardState, rankedIn } from './board-state.ts';
import type { HeldRow } from './held-rows.ts';
import { keptAt } from './kept-boards.ts';
import { movementSince, NO_MOVEMENT } from './movement.ts';
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
  const { state, pages, window, isKept } = board;
  const head = pageHead(board);
  const shown = (ranked: readonly RankedEntry[]): Promise<readonly PageRow[]> => {
    if (platform !== null) return platformRows(parts, state, window, ranked, platform);
    return (isKept ? keptRows : currentRows)(parts, state, window, ranked);
  };
  if ('operators' in start) {
    const { ranked, notFound, unranked } = await membersOf(parts, board, start.operators);
    return { ...head, offset: null, rows: amongThemselves(await shown(ranked)), notFound, unranked };
  }
  const slice = 'offset' in start ? { offset: start.offset, limit } : await around(parts, board, limit, start.around);
  if ('kind' in slice) return slice;
  const top = topEntries[name];
  const isReady = state === newest && slice.offset === 0 && (limit <= top.length || top.length === head.total);
  const rows = isReady ? top.slice(0, slice.limit) : await shown(await readSlice(pages, state, { window, ...slice }));
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
    const methodology = methodologyOf(parts.context, state.manifest);
    const own = platform === null ? summary : onPlatform(summary, platform);
    const now = board.isKept ? UNKNOWN_CAUSE : unrankedNow(own, window, methodology);
    return { kind: 'operator_unranked', codename: summary.codename, platform, ...now };
  }
  const position = await positionOfYield(pages, state, { operator: summary.operator, window, yield_ });
  const first = position - Math.floor(limit / 2);
  const offset = Math.max(0, first);
  return { offset, limit: first + limit - offset };
}

const UNKNOWN_CAUSE = { reason: null, held: null, missing: [] };

/** Why a record, null without one, has no rank in a window under a methodology; `reason` is null when it has one. */
function unrankedNow(
  summary: OperatorSummary | null,
  window: number,
  methodology: Parameters<typeof missingOf>[2],
): Pick<UnrankedOperator, 'reason' | 'held' | 'missing'> {
  if (summary === null) return { ...UNKNOWN_CAUSE, reason: 'no_tokens' };
  const { entry, held, result } = entriesOf(summary, methodology)[window]!;
  if (entry !== null) return UNKNOWN_CAUSE;
  if (held !== null) return { reason: 'held', held, missing: missingOf(summary, result, methodology) };
  const reason = unrankedReason(countsOf(summary.totals, window), methodology) ?? 'excluded';
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
  const placed = await placesOn(parts, board, found);
  const known = new Set(found.map(({ codename }) => codename));
  return {
    ranked: placed
      .flatMap(({ operator, yield_, rank }): RankedEntry[] => (rank === null ? [] : [{ operator, yield_, rank }]))
      .toSorted((a, b) => b.yield_ - a.yield_ || a.operator - b.operator),
    notFound: keys.filter((key) => !known.has(key)),
    unranked: placed.flatMap(({ codename, rank }) => (rank === null ? codename : [])),
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

/** Records of entries, by their counts of a platform where one is given; omits operators that were erased. */
async function recordsOf({ context }: ViewParts, ranked: readonly RankedEntry[], platform: Platform | null = null) {
  const summaries = await context.stores.operators.summaries(ranked.map(({ operator }) => operator));
  const byNumber = new Map(summaries.map((summary) => [summary.operator, summary]));
  return ranked.flatMap((entry) => {
    const whole = byNumber.get(entry.operator) ?? null;
    const summary = whole === null || platform === null ? whole : onPlatform(whole, platform);
    return summary === null ? [] : [{ ...entry, summary }];
  });
}

/** Rows of the newest board with movements: see `rowsWithRecords`. */
export async function currentRows(
  parts: ViewParts,
  state: BoardState,
  window: number,
  ranked: readonly RankedEntry[],
): Promise<BoardEntry[]> {
  const rows = await rowsWithRecords(parts, state, window, ranked);
  return Promise.all(
    rows.map(async ({ summary: { operator }, row }) => {
      const ranks = WINDOWS.map((_, index) => (index === window ? row.rank : null));
      return { ...row, ...(await parts.movements.of(state.manifest, operator, ranks))[window]! };
    }),
  );
}

/** Rows of the newest board without movements, with one read for all records. Omits operators that are no longer rankable. */
export async function rowsWithRecords(
  parts: ViewParts,
  state: BoardState,
  window: number,
  ranked: readonly RankedEntry[],
  platform: Platform | null = null,
) {
  const methodology = methodologyOf(parts.context, state.manifest);
  // On a platform's board an operator that it does not have yet can be placed behind all others.
  const total = ranked.reduce((most, { rank }) => Math.max(most, rank), rankedIn(state, window));
  return (await recordsOf(parts, ranked, platform)).flatMap(({ summary, yield_, rank }) => {
    const { entry } = entriesOf(summary, methodology)[window]!;
    if (entry === null) return [];
    // The record may be newer than the board.
    const published = { yield_, class_tier: tierOf(yield_, methodology), rank, percentile: percentileOf(rank, total) };
    return [{ summary, row: { ...entry, ...published } }];
  });
}

/** Rows of a platform's board, which has no movements. Omits operators that are unlisted now. */
async function platformRows(
  parts: ViewParts,
  state: BoardState,
  window: number,
  ranked: readonly RankedEntry[],
  platform: Platform,
): Promise<PageRow[]> {
  const rows = await rowsWithRecords(parts, state, window, ranked, platform);
  return rows.flatMap(({ summary, row }) => (summary.listed ? { ...row, ...NO_MOVEMENT } : []));
}

/** Rows of a kept board, with the names and platforms of now. Omits operators that are unlisted now. */
async function keptRows(
  parts: ViewParts,
  state: BoardState,
  window: number,
  ranked: readonly RankedEntry[],
): Promise<PageRow[]> {
  const methodology = methodologyOf(parts.context, state.manifest);
  const total = rankedIn(state, window);
  return (await recordsOf(parts, ranked)).flatMap(({ summary, yield_, rank }) => {
    const { codename, displayName: display_name, platforms, listed } = summary;
    if (!listed) return [];
    const platform = platforms[window] ?? UNSPECIFIED_PLATFORM;
    const place = { rank, percentile: percentileOf(rank, total), class_tier: tierOf(yield_, methodology) };
    return [{ codename, display_name, platform, yield_, ...place, ...NO_MOVEMENT }];
  });
}
