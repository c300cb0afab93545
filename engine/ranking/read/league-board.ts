import { LRUCache } from 'lru-cache';
import { UNSPECIFIED_PLATFORM } from '../../contract/signing/index.ts';
import type { Missing } from '../../contract/unranked.ts';
import { rulesIn } from '../../integrity/index.ts';
import { methodologyOf } from '../context.ts';
import { boardAgo } from '../core/board/index.ts';
import { entriesOf } from '../core/entry.ts';
import { percentileOf, tierOf } from '../core/score.ts';
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
import { HOURS_24H, NO_MOVEMENT } from './movement.ts';
import { onPlatform } from './platform-board.ts';
import { missingOf } from './profile.ts';
import type { ViewParts } from './view-parts.ts';

/** A league's board is computed at most so often, in milliseconds, unless who is in it or who may see it changes. */
const REPEATED_FOR_MS = 10_000;

/** Rows of all computed boards in memory, at about 500 bytes each. */
const MAX_ROWS = 40_000;

/** Held rows of a public league that are shown. */
const MAX_HELD = 100;

/** A page of a league's board. */
export interface LeagueRequest extends Pick<PageRequest, 'window' | 'limit' | 'at' | 'platform'> {
  readonly offset: number;
  readonly league: {
    readonly id: string;
    /** Another one with every change of the members or the visibility. */
    readonly revision: number;
    /** Reads the numbers of operators. */
    readonly members: () => Promise<readonly number[]>;
    /** Whether everybody sees it: then held rows have no number, and hidden ones are left out. */
    readonly isPublic: boolean;
  };
}

type LeagueHeldRow = Omit<PageRow, 'rank' | 'percentile'> & Pick<HeldRow, 'would_be' | 'missing'>;

/** `held`: the highest held rows of a public league; in others they are numbered among the rest. */
export type LeaguePage = BoardPage & {
  readonly held: { readonly total: number; readonly rows: readonly LeagueHeldRow[] } | null;
};

/** Rows with whose they are. */
type Owned<Row> = readonly { readonly operator: number; readonly row: Row }[];

/** A row without its place. `missing`: of a held row what it lacks; `onBoard`: it is numbered on the board of all, for everybody. */
interface Found {
  readonly operator: number;
  readonly row: Omit<PageRow, 'rank' | 'percentile'>;
  readonly missing: readonly Missing[] | null;
  readonly onBoard: boolean;
}

interface ComputedBoard {
  readonly head: ReturnType<typeof pageHead>;
  readonly rows: Owned<PageRow>;
  readonly held: Owned<LeagueHeldRow> | null;
}

/** Boards of leagues, computed from the members' records when they are read. */
export function createLeagueBoards() {
  const computed = new LRUCache<string, { readonly at: number; readonly board: Promise<ComputedBoard | null> }>({
    max: MAX_ROWS,
    maxSize: MAX_ROWS,
  });

  function boardOf(parts: ViewParts, newest: BoardState, request: LeagueRequest): Promise<ComputedBoard | null> {
    const { window, at, platform = null, league } = request;
    const key = [league.id, league.revision, window, platform, at?.from, at?.until].join(' ');
    const now = parts.context.clock();
    const known = computed.get(key);
    if (known !== undefined && Math.abs(now - known.at) < REPEATED_FOR_MS) return known.board;
    const board = computeBoard(parts, newest, request);
    const kept = { at: now, board };
    computed.set(key, kept, { size: 1 });
    board.then(
      (made) => computed.set(key, kept, { size: 1 + (made?.rows.length ?? 0) }),
      () => computed.delete(key),
    );
    return board;
  }

  /** A page of a league's board: who was erased, suspended or hidden since it was computed is left out at once. */
  return async (
    parts: ViewParts,
    newest: BoardState,
    request: LeagueRequest,
  ): Promise<LeaguePage | { readonly kind: 'not_kept' }> => {
    const board = await boardOf(parts, newest, request);
    if (board === null) return { kind: 'not_kept' };
    const { offset, limit, league } = request;
    const { head, held } = board;
    const [rows, heldRows] = await Promise.all([
      named(parts, board.rows.slice(offset, offset + limit), league.isPublic),
      named(parts, held?.slice(0, MAX_HELD) ?? [], league.isPublic),
    ]);
    return { ...head, offset, rows, held: held && { total: held.length, rows: heldRows }, notFound: [], unranked: [] };
  };
}

/** Rows with the names of now, without those that the league does not show any more. */
async function named<Row>({ context: { stores } }: ViewParts, rows: Owned<Row>, isPublic: boolean) {
  const records = await Promise.all(rows.map(({ operator }) => stores.operators.names(operator)));
  return rows.flatMap(({ row }, index) => {
    const record = records[index] ?? null;
    if (record === null || !isShown(record, isPublic)) return [];
    const { codename, displayName: display_name } = record;
    return [{ ...row, codename, display_name, ...(record.listed ? {} : { global_rank: null, ...NO_MOVEMENT }) }];
  });
}

/** Whether a league shows an operator: in one that not everybody sees also those that hid their rows. */
function isShown({ codename, listed, offBoards }: OperatorRecord, isPublic: boolean): boolean {
  return listed || (!isPublic && codename !== '' && offBoards.every((reason) => reason === 'hidden'));
}

async function computeBoard(
  parts: ViewParts,
  newest: BoardState,
  request: LeagueRequest,
): Promise<ComputedBoard | null> {
  const board = await pagedBoard(parts, newest, request);
  if (board === null) return null;
  const { members, isPublic } = request.league;
  const records = await parts.context.stores.operators.summaries(await members());
  const shown = records.filter((record) => isShown(record, isPublic));
  const made = (await placesOn(parts, board, shown)).flatMap((placed) => rowOf(parts, board, placed) ?? []);
  const ordered = made.toSorted((a, b) => b.row.yield_ - a.row.yield_ || a.operator - b.operator);
  const numbered = ordered.filter(({ missing }) => !isPublic || missing === null);
  const yields = numbered.map(({ row }) => row.yield_);
  const ranks = ranksAmong(yields);
  const movements = await movementsOf(parts, board, numbered);
  const rows = numbered.map(({ operator, row, missing }, index) => {
    const rank = ranks[index]!;
    const place = {
      rank,
      percentile: percentileOf(rank, numbered.length),
      ...(missing === null ? {} : { held: true }),
    };
    return { operator, row: { ...row, ...place, movement_24h: movements.get(operator) ?? null, movement_7d: null } };
  });
  const head = pageHead(board);
  const since = head.movementSince && { ...head.movementSince, movement_7d_since: null };
  const held = ordered.flatMap(({ operator, row, missing }) => {
    const would_be = 1 + yields.filter((yield_) => yield_ > row.yield_).length;
    return missing === null ? [] : [{ operator, row: { ...row, would_be, missing } }];
  });
  return {
    head: { ...head, movementSince: since, total: rows.length },
    rows,
    held: isPublic && !board.isKept ? held : null,
  };
}

/** The row of a member: now by its record, on a kept board by what was kept; null without one. */
function rowOf(
  { context }: ViewParts,
  { state, window, platform, isKept }: PagedBoard,
  { summary, operator, yield_, rank }: Awaited<ReturnType<typeof placesOn>>[number],
): Found | null {
  const methodology = methodologyOf(context, state.manifest);
  const { codename, displayName: display_name, platforms, listed } = summary;
  if (isKept && rank === null) return null;
  if (isKept) {
    const shown = {
      codename,
      display_name,
      platform: platforms[window] ?? UNSPECIFIED_PLATFORM,
      yield_,
      global_rank: rank,
    };
    const row = { ...shown, class_tier: tierOf(yield_, methodology) };
    return { operator, row, missing: null, onBoard: false };
  }
  const own = platform === null ? summary : onPlatform(summary, platform);
  if (own === null) return null;
  const { entry, held, result } = entriesOf(own, methodology)[window]!;
  if (entry !== null) return { operator, row: { ...entry, global_rank: rank }, missing: null, onBoard: listed };
  // Of a rule that the public does not see, a held row would tell; the board of all leaves it out as well.
  if (held === null || rulesIn(result.mask).some(({ isPrivate }) => isPrivate)) return null;
  const missing = missingOf(own, result, methodology);
  return { operator, row: { ...held, global_rank: null }, missing, onBoard: false };
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
  const now = rows.filter(({ onBoard }) => onBoard);
  const former = await Promise.all(
    now.map(async ({ operator }) => ({ operator, yield_: await publishedYield(parts.pages, then, operator, window) })),
  );
  const ranked = former.filter(({ yield_ }) => !Number.isNaN(yield_)).toSorted((a, b) => b.yield_ - a.yield_);
  const ranksThen = ranksAmong(ranked.map(({ yield_ }) => yield_));
  const ranksNow = ranksAmong(now.map(({ row }) => row.yield_));
  const nowOf = new Map(now.map(({ operator }, index) => [operator, ranksNow[index]!]));
  return new Map(ranked.map(({ operator }, index) => [operator, ranksThen[index]! - nowOf.get(operator)!]));
}

/** The ranks of Yields in descending order; equal ones share a rank. */
function ranksAmong(yields: readonly number[]): number[] {
  const ranks: number[] = [];
  for (const [index, yield_] of yields.entries()) {
    ranks.push(index > 0 && yields[index - 1] === yield_ ? ranks[index - 1]! : index + 1);
  }
  return ranks;
}
