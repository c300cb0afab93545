import { LRUCache } from 'lru-cache';
import { DAY_MS, MINUTE_MS } from '../../../config/units.ts';
import { MAX_LEADERBOARD_LIMIT } from '../../contract/index.ts';
import { UNSPECIFIED_PLATFORM } from '../../contract/signing/index.ts';
import { PLACE_OF, rulesIn, SOURCES } from '../../integrity/index.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { boardAgo } from '../core/board/index.ts';
import { entriesOf } from '../core/entry.ts';
import { witnessedTotals } from '../core/operator-state/index.ts';
import { percentileOf, tierOf } from '../core/score.ts';
import { judgeOf, rowStateUnder } from '../core/score-record.ts';
import type { OperatorRecord } from '../types.ts';
import {
  type BoardPage,
  type PagedBoard,
  type PageRequest,
  type PageRow,
  pagedBoard,
  pageHead,
  placesOn,
} from './board-page.ts';
import { publishedYield } from './board-ranks.ts';
import type { BoardState } from './board-state.ts';
import type { HeldRow } from './held-rows.ts';
import { HOURS_24H } from './movement.ts';
import { onPlatform } from './platform-board.ts';
import { missingOf } from './profile.ts';
import type { ViewParts } from './view-parts.ts';

/** A league's board is computed at most so often, in milliseconds, unless who is in it or who may see it changes. */
const REPEATED_FOR_MS = 10_000;

/** Rows of all computed boards in memory, at about 500 bytes each. */
const MAX_ROWS = 40_000;

/** Members whose states are read at once: those of some have megabytes. */
const STATES_A_READ = 100;

/** A snapshot is in the log within this time of its receipt, in milliseconds. */
const LOGGED_WITHIN_MS = 10 * MINUTE_MS;

/** A season: UTC days of receipt, as numbers since the epoch, `until` the first one after it. */
interface SeasonDays {
  readonly from: number;
  readonly until: number;
}

/** Rows of a season, best first. */
export interface SeasonBoard {
  readonly methodology: number;
  readonly rows: readonly (Pick<PageRow, 'yield_' | 'rank' | 'platform' | 'held'> & { readonly operator: number })[];
}

/** A page of a league's board. */
export interface LeagueRequest extends Pick<PageRequest, 'window' | 'limit' | 'at' | 'platform'> {
  readonly offset: number;
  readonly league: {
    readonly id: string;
    /** Another one with every change of the members or the visibility. */
    readonly revision: number;
    /** Reads the numbers of operators. */
    readonly members: () => Promise<readonly number[]>;
    /** Whether everybody sees it: then held rows are not numbered, and hidden ones are left out. */
    readonly isPublic: boolean;
  };
  /** In place of a window: a season, with its final board once there is one. */
  readonly season?: SeasonDays & { readonly board: SeasonBoard | null };
}

/** A row without its names. */
type Unnamed = Omit<PageRow, 'codename' | 'display_name'>;

/** `onBoard`: it is numbered on the board of all, for everybody. `held`: where it is not settled, with what it lacks. */
interface Found {
  readonly operator: number;
  readonly yield_: number;
  readonly row: Omit<Unnamed, 'rank' | 'percentile'>;
  readonly onBoard: boolean;
  readonly held: Omit<HeldRow, 'would_be'> | null;
}

interface ComputedBoard {
  readonly head: ReturnType<typeof pageHead>;
  readonly rows: readonly { readonly operator: number; readonly row: Unnamed }[];
  /** The rows that are not settled, where they are not numbered: on present boards that everybody sees. */
  readonly held: readonly { readonly operator: number; readonly row: HeldRow }[] | null;
}

/** Boards of leagues, computed from the members' records when they are read. */
export function createLeagueBoards(clock: () => number) {
  const computed = new LRUCache<string, ComputedBoard, () => Promise<ComputedBoard | undefined>>({
    maxSize: MAX_ROWS,
    sizeCalculation: ({ rows, held }) => 1 + rows.length + (held?.length ?? 0),
    ttl: REPEATED_FOR_MS,
    ttlResolution: 0,
    perf: { now: clock },
    fetchMethod: (_key, _stale, { context: compute }) => compute(),
  });

  /** A page of a league's board: who was erased, suspended or hidden since it was computed is left out at once. */
  return async (
    parts: ViewParts,
    newest: BoardState,
    request: LeagueRequest,
  ): Promise<BoardPage | { readonly kind: 'not_kept' }> => {
    const { window, at, platform = null, offset, limit, league, season } = request;
    const key = [league.id, league.revision, window, platform, at?.from, at?.until, season?.from].join(' ');
    const compute = season === undefined ? computeBoard : computeSeason;
    const board = await computed.fetch(key, { context: () => compute(parts, newest, request) });
    if (board === undefined) return { kind: 'not_kept' };
    const rows = await named(parts, board.rows.slice(offset, offset + limit), league.isPublic);
    const page = { ...board.head, offset, rows, notFound: [], unranked: [] };
    if (offset > 0 || board.held === null) return page;
    const highest = await named(parts, board.held.slice(0, MAX_LEADERBOARD_LIMIT), league.isPublic);
    return { ...page, held: { total: board.held.length, rows: highest } };
  };
}

/** Rows with the names of now, without those that the league does not show any more. */
async function named<R extends object>(
  { context: { stores } }: ViewParts,
  rows: readonly { readonly operator: number; readonly row: R }[],
  isPublic: boolean,
) {
  const records = await Promise.all(rows.map(({ operator }) => stores.operators.names(operator)));
  return rows.flatMap(({ row }, index) => {
    const record = records[index] ?? null;
    if (record === null || !isShown(record, isPublic)) return [];
    const { codename, displayName: display_name } = record;
    return [{ ...row, codename, display_name, ...(record.listed ? {} : { global_rank: null, movement_24h: null }) }];
  });
}

/** Whether a league shows an operator: in one that not everybody sees also those that hid their rows. */
function isShown({ codename, listed, offBoards }: OperatorRecord, isPublic: boolean): boolean {
  return listed || (!isPublic && codename !== '' && offBoards.every((reason) => reason === 'hidden'));
}

/** Rows in board order, ranked among themselves; equal Yields share a rank. */
function ranked<R extends { readonly operator: number; readonly yield_: number }>(rows: readonly R[]) {
  let rank = 0;
  return rows
    .toSorted((a, b) => b.yield_ - a.yield_ || a.operator - b.operator)
    .map((row, index, ordered) => {
      if (ordered[index - 1]?.yield_ !== row.yield_) rank = index + 1;
      return { ...row, rank };
    });
}

/** The final board of a season without former members; before there is one, that of the growth so far. */
async function computeSeason(
  { context }: ViewParts,
  { manifest }: BoardState,
  { league, season }: LeagueRequest,
): Promise<ComputedBoard> {
  const members = await league.members();
  const { methodology, rows: made } =
    season!.board ?? (await seasonBoard(context, manifest.methodology, { ...season!, ...league, members }));
  const [total, current, under] = [made.length, new Set(members), methodologyOf(context, { methodology })];
  const rows = made.flatMap(({ operator, ...row }) => {
    const place = { percentile: percentileOf(row.rank, total), class_tier: tierOf(row.yield_, under) };
    return current.has(operator) ? [{ operator, row: { ...row, ...place } }] : [];
  });
  const boardAt = Math.min(context.clock(), season!.until * DAY_MS);
  return { head: { kind: 'page', version: null, methodology, boardAt, movementSince: null, total }, rows, held: null };
}

type LeagueSeason = SeasonDays & { readonly members: readonly number[]; readonly isPublic: boolean };

/** The rows of a season under a methodology: held ones are in it, and numbered, where not everybody sees them. */
async function seasonBoard(
  context: RankingContext,
  methodology: number,
  { from, until, members, isPublic }: LeagueSeason,
): Promise<SeasonBoard> {
  const under = methodologyOf(context, { methodology });
  const [stateOf, { maskOf }, { operators }] = [rowStateUnder(under), judgeOf(under), context.stores];
  const records = await Promise.all(members.map(operators.names));
  const shown = records.flatMap((record) => (record !== null && isShown(record, isPublic) ? record.operator : []));
  const found: Omit<SeasonBoard['rows'][number], 'rank'>[] = [];
  for (let at = 0; at < shown.length; at += STATES_A_READ) {
    const states = await operators.operatorStates(shown.slice(at, at + STATES_A_READ));
    for (const [operator, { operatorState, assertions }] of states) {
      const totals = witnessedTotals(operatorState, from, until);
      const window = { totals, at: 0, ...assertions, waivedAt: 0 };
      const { yield_, state } = stateOf(window);
      const isNumbered = state === 'settled' || (state === 'held' && !isPublic && isTold(maskOf(window, yield_)));
      if (Number.isNaN(yield_) || !isNumbered) continue;
      const mark = state === 'held' ? { held: true } : {};
      found.push({ operator, yield_, platform: SOURCES[totals[PLACE_OF.source]!]!, ...mark });
    }
  }
  return { methodology, rows: ranked(found) };
}

/** The final board of a season that is over; null while a snapshot that was received in it may be undecided. */
export async function finalSeason(context: RankingContext, season: LeagueSeason): Promise<SeasonBoard | null> {
  const { progress, board } = context.stores;
  const isDecided = (await progress.decidedUntil()) >= season.until * DAY_MS + LOGGED_WITHIN_MS;
  return isDecided ? seasonBoard(context, (await board.basis()).methodology, season) : null;
}

/** Of a rule that the public does not see, a held row would tell; the board of all leaves it out as well. */
function isTold(mask: number): boolean {
  return rulesIn(mask).every(({ isPrivate }) => isPrivate !== true);
}

async function computeBoard(
  parts: ViewParts,
  newest: BoardState,
  { league: { members, isPublic }, ...request }: LeagueRequest,
): Promise<ComputedBoard | undefined> {
  const board = await pagedBoard(parts, newest, request);
  if (board === null) return undefined;
  const records = await parts.context.stores.operators.summaries(await members());
  const shown = records.filter((record) => isShown(record, isPublic));
  const placed = await placesOn(parts, board, shown);
  const found = placed.flatMap((each) => rowOf(parts, board, each) ?? []);
  const made = ranked(found.filter((each) => each.held === null || !isPublic));
  const movements = await movementsOf(parts, board, made);
  const rows = made.map(({ operator, row, rank }) => {
    const place = { rank, percentile: percentileOf(rank, made.length) };
    return { operator, row: { ...row, ...place, movement_24h: movements.get(operator) ?? null } };
  });
  const waiting = isPublic && !board.isKept ? waitingAmong(found, made) : null;
  const head = pageHead(board);
  const since = head.movementSince && { ...head.movementSince, movement_7d_since: null };
  return { head: { ...head, movementSince: since, total: rows.length }, rows, held: waiting };
}

/** The rows that are not settled, with the rank that each would have among those that are, best first. */
function waitingAmong(found: readonly Found[], made: readonly { readonly yield_: number }[]) {
  return ranked(found.filter((each) => each.held !== null)).flatMap(({ operator, yield_, held }) => {
    if (held === null) return [];
    const lower = made.findIndex((other) => other.yield_ <= yield_);
    return [{ operator, row: { ...held, would_be: 1 + (lower < 0 ? made.length : lower) } }];
  });
}

/** The row of a member: now by its record, on a kept board by what was kept; null without one. */
function rowOf(
  { context }: ViewParts,
  { state, window, platform, isKept }: PagedBoard,
  { summary, operator, yield_, rank }: Awaited<ReturnType<typeof placesOn>>[number],
): Found | null {
  const methodology = methodologyOf(context, state.manifest);
  const { platforms, listed } = summary;
  if (isKept) {
    if (rank === null) return null;
    const kept = { platform: platforms[window] ?? UNSPECIFIED_PLATFORM, yield_, global_rank: rank };
    return { operator, yield_, row: { ...kept, class_tier: tierOf(yield_, methodology) }, onBoard: false, held: null };
  }
  const own = platform === null ? summary : onPlatform(summary, platform);
  if (own === null) return null;
  const { entry, held, result } = entriesOf(own, methodology)[window]!;
  if (entry !== null)
    return { operator, yield_: entry.yield_, row: { ...entry, global_rank: rank }, onBoard: listed, held: null };
  if (held === null || !isTold(result.mask)) return null;
  const row = { ...held, held: true, global_rank: null };
  return {
    operator,
    yield_: held.yield_,
    row,
    onBoard: false,
    held: { ...row, missing: missingOf(summary, result, methodology) },
  };
}

/**
 * The places gained in 24 hours among those members of today that everybody sees numbered, by operator: hidden and held rows of a
 * league do not count. Without those that were not on the board then.
 */
async function movementsOf(
  parts: ViewParts,
  { state, window, platform, isKept }: PagedBoard,
  rows: readonly Found[],
): Promise<ReadonlyMap<number, number>> {
  const { manifest } = state;
  const kept = isKept || platform !== null ? null : boardAgo(manifest.history, manifest.hour, HOURS_24H);
  if (kept === null) return new Map();
  const then = await parts.former.kept(manifest, kept);
  const now = ranked(rows.filter(({ onBoard }) => onBoard));
  const former = await Promise.all(
    now.map(async ({ operator }) => ({ operator, yield_: await publishedYield(parts.pages, then, operator, window) })),
  );
  const ranksNow = new Map(now.map(({ operator, rank }) => [operator, rank]));
  const known = ranked(former.filter(({ yield_ }) => !Number.isNaN(yield_)));
  return new Map(known.map(({ operator, rank }) => [operator, rank - ranksNow.get(operator)!]));
}
