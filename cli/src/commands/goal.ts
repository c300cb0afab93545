import { COUNT_FIELDS, type Counts, countsAt } from '../../../engine/contract/signing/index.ts';
import { CLASS_TIERS } from '../../../engine/contract/tiers.ts';
import { missingIn } from '../../../engine/contract/unranked.ts';
import { windowSentence } from '../../../engine/contract/windows.ts';
import { daysTo, tokensTo } from '../coach/goals.ts';
import { type PlacedCounts, placeCounts } from '../coach/place-counts.ts';
import { countsIn } from '../coach/spans.ts';
import type { Command, CommandContext } from '../command-context.ts';
import { fetchStanding, fetchYieldOfRank, type PublicBoard, type Standing } from '../net/public-board.ts';
import { type Column, columnsOf, fittingTable } from '../output/fitting-table.ts';
import { needsText, placeText } from '../output/place-text.ts';
import { compactCount, grouped, yieldText } from '../output/screen.ts';
import { yieldOf } from '../views/usage-rows.ts';
import { usageError } from './usage-view.ts';
import { type OwnStanding, openStanding, showBoardFault, showMissing } from './what-if.ts';

interface GoalOptions {
  readonly window?: string;
  readonly rank?: string;
  readonly tier?: string;
}

/** The days from whose mix the pace is computed. */
const PACE_DAYS = 7;
const DAY_SECONDS = 86_400;

interface Goal {
  readonly name: string;
  readonly yield_: number;
}

/** Shows what the next rank and tier take, or those that are asked for. Sends no counts: the service gets Yields. */
export const goalCommand: Command<GoalOptions> = async (context) => {
  const { screen, settings, options } = context;
  const own = await openStanding(context);
  const { counts, window, buckets, board } = own;
  const placed = await placeCounts(counts, board);
  const { yield_, standing, missing, reason } = placed;
  if (yield_ === null || yield_ === 0) {
    screen.printWrapped('There is no Yield yet: it needs input, output and cache reads.');
    screen.result({ window, yield_, goals: [] });
    return 'nothing';
  }
  const now = Date.now() / 1000;
  const recent = countsIn(buckets, settings.platforms, { from: now - PACE_DAYS * DAY_SECONDS, to: now + 1 });
  const pace = countsAt(COUNT_FIELDS.map((field) => recent[field] / PACE_DAYS));
  /** The tokens after which the Yield reaches a goal and the floors are met; null where no number does both. */
  const tokensFor = (goal: Goal, field: 'cache_read' | 'output'): number | null => {
    const added = tokensTo(goal.yield_, counts, field);
    return meetsFloors({ ...counts, [field]: counts[field] + (added ?? 0) }, board) ? added : null;
  };
  const found = (await findGoals(options, placed, board)).filter((goal) => goal.yield_ > yield_);
  const goals = await Promise.all(
    found.map(async (goal) => ({
      ...goal,
      ...(await placeGoal(goal, board)),
      times: goal.yield_ / yield_,
      cache_read: tokensFor(goal, 'cache_read'),
      output: tokensFor(goal, 'output'),
      // Windows slide: a pace does not show what leaves them.
      days: window === 'all_time' ? daysFor(goal.yield_, counts, pace, board) : null,
    })),
  );
  const place = standing === null ? [] : [`tier ${standing.class_tier}`, placeText(standing)];
  const figures = screen.paint.bold([`Yield ${yieldText(yield_)}`, ...place].join(', '));
  screen.printWrapped(`This machine's counts ${windowSentence(window)}: ${figures}.`);
  showMissing('Now', missing, context);
  showBoardFault(reason, context);
  if (goals.length > 0) showGoals(goals, own, recent, context);
  else if (reason === null) {
    const isAsked = options.rank !== undefined || options.tier !== undefined;
    const top = 'There is nothing above: this is the first rank and the highest tier.';
    screen.printWrapped(isAsked ? 'This goal is reached.' : top);
  }
  screen.result({ window, counts, yield_, standing, missing, goals, recent, reason });
  return 'ok';
};

interface PlannedGoal extends Goal {
  /** Null where the board cannot be read. */
  readonly rank: number | null;
  readonly needs: Standing['needs'];
  readonly times: number;
  readonly cache_read: number | null;
  readonly output: number | null;
  readonly days: number | null;
}

function showGoals(
  goals: readonly PlannedGoal[],
  { window }: OwnStanding,
  recent: Counts,
  { screen }: CommandContext,
): void {
  const column = columnsOf(goals, { align: 'right' });
  const days = column('or days', (goal) => (goal.days === null ? 'never' : `${Math.ceil(goal.days)}`));
  const table: readonly Column[] = [
    { title: 'Goal', cells: goals.map(({ name }) => name) },
    column('Yield', (goal) => yieldText(goal.yield_), { accent: true }),
    column('Times', ({ times }) => grouped(Number(times.toPrecision(3))), { drop: 1 }),
    column('Rank', ({ rank }) => (rank === null ? '?' : grouped(rank)), { drop: 2 }),
    column('Cache read', ({ cache_read }) => addedText(cache_read)),
    column('or output', ({ output }) => addedText(output)),
    ...(window === 'all_time' ? [days] : []),
  ];
  screen.print('');
  screen.print(fittingTable(table, screen.columns, screen.paint));
  screen.print('');
  for (const { name, needs } of goals)
    for (const text of needsText(needs))
      screen.printWrapped(`${name[0]!.toUpperCase()}${name.slice(1)} counts ${text}.`);
  screen.printWrapped(
    'Each of the last columns alone reaches the goal: so many more tokens read from the cache, or of output, without more input.',
  );
  if (goals.some(({ cache_read, output }) => cache_read === null || output === null)) {
    screen.printWrapped(
      'A - does not: no count is large enough, or the counts would be below the floors of the methodology.',
    );
  }
  if (window !== 'all_time') return;
  const own = yieldOf(recent);
  screen.printWrapped(
    `Days: at the pace of the last ${PACE_DAYS} days, whose own Yield is ${own === null ? 'none' : yieldText(own)}. More days of ` +
      'the same mix lead towards that Yield. Never: not within ten years.',
  );
}

function addedText(tokens: number | null): string {
  return tokens === null ? '-' : `+${compactCount(tokens)}`;
}

/** The days until the Yield reaches a goal at a pace, if the floors are met then. */
function daysFor(goal: number, counts: Counts, pace: Counts, board: PublicBoard | string): number | null {
  const days = daysTo(goal, counts, pace);
  if (days === null) return null;
  const then = countsAt(COUNT_FIELDS.map((field) => counts[field] + Math.ceil(days) * pace[field]));
  return meetsFloors(then, board) ? days : null;
}

function meetsFloors(counts: Counts, board: PublicBoard | string): boolean {
  return typeof board === 'string' || missingIn(counts, board.floors).length === 0;
}

/** The goals of the options, else the next rank and the next tier. */
async function findGoals(
  { rank, tier }: GoalOptions,
  { at }: PlacedCounts,
  board: PublicBoard | string,
): Promise<readonly Goal[]> {
  if (rank !== undefined || tier !== undefined) {
    const tiers = tier === undefined ? [] : [tierGoal(tier)];
    return [...tiers, ...(rank === undefined ? [] : await rankGoal(rank, at?.total_operators ?? 0, board))];
  }
  const { next_place = null, next_tier = null } = at ?? {};
  return [
    ...(next_place === null ? [] : [{ name: `rank ${grouped(next_place.rank)}`, yield_: next_place.yield_ }]),
    ...(next_tier === null ? [] : [{ name: `tier ${next_tier.class_tier}`, yield_: next_tier.yield_ }]),
  ];
}

function tierGoal(name: string): Goal {
  const found = CLASS_TIERS.find((each) => each.name === name.toUpperCase());
  if (found === undefined) throw usageError(`--tier takes ${CLASS_TIERS.map((each) => each.name).join(', ')}`);
  return { name: `tier ${found.name}`, yield_: found.from };
}

/** `last`: the last rank, with these counts among the rows; 0 where it is not known. */
async function rankGoal(text: string, last: number, board: PublicBoard | string): Promise<readonly Goal[]> {
  const rank = Number(text);
  if (!Number.isInteger(rank) || rank < 1) throw usageError('--rank takes a rank, such as 10');
  if (typeof board === 'string' || last === 0) return [];
  if (rank > last) throw usageError(`the last rank is ${grouped(last)}, with yours among them`);
  const yield_ = await fetchYieldOfRank(board, rank);
  // Any Yield has the last rank.
  return yield_ === null ? [] : [{ name: `rank ${grouped(rank)}`, yield_ }];
}

/** The rank that a goal would have, and what it needs there. */
async function placeGoal({ yield_ }: Goal, board: PublicBoard | string): Promise<Pick<PlannedGoal, 'rank' | 'needs'>> {
  const standing = typeof board === 'string' ? board : await fetchStanding(board, yield_);
  return typeof standing === 'string' ? { rank: null, needs: [] } : { rank: standing.rank, needs: standing.needs };
}
