import { COUNT_FIELDS, type Counts, MAX_COUNT } from '../../../engine/contract/signing/index.ts';
import { type Missing, missingText } from '../../../engine/contract/unranked.ts';
import { type Window, windowSentence } from '../../../engine/contract/windows.ts';
import { findOwnCodename } from '../auth/identity.ts';
import { changedCount } from '../coach/goals.ts';
import { type PlacedCounts, placeCounts } from '../coach/place-counts.ts';
import { countsIn, windowStart } from '../coach/spans.ts';
import type { Command, CommandContext } from '../command-context.ts';
import { openBoard, type PublicBoard } from '../net/public-board.ts';
import { countColumns } from '../output/counts-table.ts';
import { columnsOf, fittingTable } from '../output/fitting-table.ts';
import { needsText } from '../output/place-text.ts';
import { grouped, yieldText } from '../output/screen.ts';
import type { Bucket } from '../store/buckets.ts';
import { readWindow, scanBuckets, usageError } from './usage-view.ts';

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

/** Shows the Yield, tier and rank that other counts would have. Sends no counts: the service gets their Yields. */
export const whatIfCommand: Command<WhatIfOptions> = async (context) => {
  const { screen, options } = context;
  const { input, output, cacheRead: cache_read, cacheWrite: cache_write } = options;
  const texts = { input, output, cache_read, cache_write };
  const isChanged = COUNT_FIELDS.some((field) => texts[field] !== undefined);
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
  const [now, then] = await Promise.all([placeCounts(own.counts, own.board), placeCounts(changed, own.board)]);
  const rows = [{ name: 'Now', ...now }, ...(isChanged ? [{ name: 'What if', ...then }] : [])];
  const column = columnsOf(rows, { align: 'right' });
  const table = [
    { title: '', cells: rows.map(({ name }) => name) },
    ...countColumns(rows.map(({ counts }) => counts)).map((each, at) => ({ ...each, drop: at === 3 ? 1 : 2 })),
    column('Yield', ({ yield_ }) => (yield_ === null ? '-' : yieldText(yield_)), { accent: true }),
    column('Tier', ({ standing }) => standing?.class_tier ?? '-'),
    column('Rank', rankCell),
  ];
  screen.print(fittingTable(table, screen.columns, screen.paint));
  screen.print('');
  screen.printWrapped(
    `The counts of this machine ${windowSentence(own.window)}, against the public board. They were not sent: the service got ${isChanged ? 'the two Yields' : 'the Yield'}.`,
  );
  if (!isChanged)
    screen.printWrapped('What other counts would be, for example: upsilon what-if --output +10% --input 7M');
  for (const { name, missing, standing } of rows) {
    for (const text of needsText(standing?.needs ?? [])) screen.printWrapped(`${name}: the rank counts ${text}.`);
    showMissing(name, missing, context);
  }
  showBoardFault(then.reason, context);
  screen.result({
    window: own.window,
    now: describe(now),
    what_if: isChanged ? describe(then) : null,
    reason: then.reason,
  });
  return 'ok';
};

function describe({ counts, yield_, missing, standing }: PlacedCounts): object {
  return { counts, yield_, missing, standing };
}

function rankCell({ standing, missing }: PlacedCounts): string {
  if (standing === null) return missing.length > 0 ? 'none' : '?';
  return `${grouped(standing.rank)} of ${grouped(standing.total_operators)}`;
}

/** Counts this machine's usage in the window of the options, and opens the board. */
export async function openStanding(context: CommandContext<{ readonly window?: string }>): Promise<OwnStanding> {
  const { settings, options } = context;
  const window = readWindow(options.window);
  const buckets = await scanBuckets(context);
  const now = Date.now() / 1000;
  const counts = countsIn(buckets, settings.platforms, { from: windowStart(window, now), to: now + 1 });
  return { window, counts, buckets, board: await openOwnBoard(context, window) };
}

/** The board of a window, without the user's own entry; the reason when it cannot be read. */
export async function openOwnBoard({ settings, env }: CommandContext, window: Window): Promise<PublicBoard | string> {
  return openBoard({ baseUrl: settings.baseUrl, codename: await findOwnCodename(settings, env) }, window);
}

/** Shows why counts have no rank; nothing where they have one. */
export function showMissing(name: string, missing: readonly Missing[], { screen }: CommandContext): void {
  if (missing.length === 0) return;
  screen.printWrapped(
    `${name}: no rank and no tier, because the methodology requires more. It ${missing.map(missingText).join('; it ')}.`,
  );
}

export function showBoardFault(reason: string | null, { screen }: CommandContext): void {
  if (reason !== null) screen.printWrapped(`Ranks and tiers are unknown: ${reason}.`);
}
