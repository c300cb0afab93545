import { COUNT_FIELDS, type Counts, MAX_COUNT } from '../../../engine/contract/signing/index.ts';
import { type Missing, missingIn, missingText } from '../../../engine/contract/unranked.ts';
import { type Window, windowSentence } from '../../../engine/contract/windows.ts';
import { findOwnCodename } from '../auth/identity.ts';
import { changedCount } from '../coach/goals.ts';
import { countsIn, windowStart } from '../coach/spans.ts';
import type { Command, CommandContext } from '../command-context.ts';
import { objectOf } from '../json.ts';
import { BOARD_TIMEOUT_MS, fetchBoard, type PublicBoard, placeOn, rankedRow, tierOf } from '../net/public-board.ts';
import { COUNT_TITLES } from '../output/counts-table.ts';
import { type Column, columnsOf, fittingTable } from '../output/fitting-table.ts';
import { placeText } from '../output/place-text.ts';
import { grouped, yieldText } from '../output/screen.ts';
import type { Bucket } from '../store/buckets.ts';
import { yieldOf } from '../views/today.ts';
import { compactCount } from '../views/usage-report.ts';
import { fetchProfile } from './status.ts';
import { scanBuckets, usageError } from './usage-view.ts';
import { readWindow } from './why.ts';

interface WhatIfOptions {
  readonly window?: string;
  readonly input?: string;
  readonly output?: string;
  readonly cacheRead?: string;
  readonly cacheWrite?: string;
}

/** Where this machine's counts stand: what the commands of the coach start from. */
export interface OwnStanding {
  readonly window: Window;
  readonly counts: Counts;
  readonly buckets: readonly Bucket[];
  /** The reason when the board cannot be read. */
  readonly board: PublicBoard | string;
}

/** Shows the Yield, tier and rank that other counts would have. Sends nothing: the rank is computed here from the public board. */
export const whatIfCommand: Command<WhatIfOptions> = async (context) => {
  const { screen, options } = context;
  const { input, output, cacheRead: cache_read, cacheWrite: cache_write } = options;
  const texts = { input, output, cache_read, cache_write };
  if (COUNT_FIELDS.every((field) => texts[field] === undefined)) {
    throw usageError('what-if takes at least one of --input, --output, --cache-read and --cache-write');
  }
  const own = await openStanding(context);
  const changed = { ...own.counts };
  for (const field of COUNT_FIELDS) {
    const text = texts[field];
    const count = text === undefined ? own.counts[field] : changedCount(own.counts[field], text);
    if (count === null) throw usageError(`"${text}" is not a count or a change such as 1.5M, +200k, -10% or x2`);
    if (!(count >= 0 && count <= MAX_COUNT))
      throw usageError(`"${text}" is below 0 or above the largest count, 2^53 − 1`);
    changed[field] = count;
  }
  const [now, then] = [own.counts, changed].map((counts) => standingOf(counts, own.board));
  const rows = [
    { name: 'Now', ...now! },
    { name: 'What if', ...then! },
  ];
  const column = columnsOf(rows, { align: 'right' });
  const count = (field: keyof Counts): Column => {
    const title = COUNT_TITLES[field];
    const cells = rows.map(({ counts }) => compactCount(counts[field]));
    return column(title, ({ counts }) => grouped(counts[field]), {
      compact: { title, cells },
      drop: field === 'cache_write' ? 1 : 2,
    });
  };
  const table = [
    { title: '', cells: rows.map(({ name }) => name) },
    ...COUNT_FIELDS.map(count),
    column('Yield', ({ yield_ }) => (yield_ === null ? '-' : yieldText(yield_))),
    column('Tier', ({ tier }) => tier ?? '-'),
    column('Rank', ({ place, missing }) => rankCell(place, missing)),
  ];
  screen.print(fittingTable(table, screen.columns, screen.paint));
  screen.print('');
  screen.printWrapped(
    `The counts of this machine ${windowSentence(own.window)}, against the public board. Nothing of them was sent.`,
  );
  for (const { name, missing } of rows) showMissing(name, missing, context);
  showBoardFault(own, context);
  screen.result({ window: own.window, now, what_if: then, reason: typeof own.board === 'string' ? own.board : null });
  return 'ok';
};

/** Counts this machine's usage in the window of the options, and reads the public board. */
export async function openStanding(context: CommandContext<{ readonly window?: string }>): Promise<OwnStanding> {
  const { settings, env, options } = context;
  const window = readWindow(options.window);
  const buckets = await scanBuckets(context);
  const now = Date.now() / 1000;
  const counts = countsIn(buckets, settings.platforms, { from: windowStart(window, now), to: now + 1 });
  const service = { baseUrl: settings.baseUrl, codename: await findOwnCodename(settings, env) };
  return { window, counts, buckets, board: await addOwnRow(await fetchBoard(service, window), service, window) };
}

/** Adds the operator's present row by its profile, where the board does not show it. */
async function addOwnRow(
  board: PublicBoard | string,
  { baseUrl, codename }: { readonly baseUrl: string; readonly codename: string | null },
  window: Window,
): Promise<PublicBoard | string> {
  if (typeof board === 'string' || board.own !== null || board.more === 0 || codename === null) return board;
  const profile = await fetchProfile(baseUrl, codename, BOARD_TIMEOUT_MS).catch(() => null);
  const own = rankedRow(window === 'all_time' ? profile : objectOf(profile?.['windows'])[window], false);
  return { ...board, own };
}

/** Yield, tier and place of counts, and what they lack for the methodology's floors. The place is null where it is unknown. */
export function standingOf(counts: Counts, board: PublicBoard | string) {
  const yield_ = yieldOf(counts);
  const missing = typeof board === 'string' ? [] : missingIn(counts, board.floors);
  const isRanked = yield_ !== null && missing.length === 0;
  return {
    counts,
    yield_,
    tier: isRanked ? tierOf(yield_) : null,
    place: isRanked && typeof board !== 'string' ? placeOn(board, yield_) : null,
    missing,
  };
}

function rankCell(place: ReturnType<typeof standingOf>['place'], missing: readonly Missing[]): string {
  if (place === null) return missing.length > 0 ? 'none' : '?';
  return placeText(place).replace(/rank /, '');
}

/** Shows why counts have no rank; nothing where they have one. */
export function showMissing(name: string, missing: readonly Missing[], { screen }: CommandContext): void {
  if (missing.length === 0) return;
  screen.printWrapped(
    `${name}: no rank and no tier, because the methodology requires more. It ${missing.map(missingText).join('; it ')}.`,
  );
}

export function showBoardFault({ board }: OwnStanding, { screen }: CommandContext): void {
  if (typeof board === 'string') screen.printWrapped(`Ranks are unknown: ${board}.`);
}
