import { COUNT_FIELDS, type Counts, countsAt } from '../../../engine/contract/signing/index.ts';
import { CLASS_TIERS } from '../../../engine/contract/tiers.ts';
import { windowSentence } from '../../../engine/contract/windows.ts';
import { daysTo, tokensTo } from '../coach/goals.ts';
import { countsIn } from '../coach/spans.ts';
import type { Command, CommandContext } from '../command-context.ts';
import type { PublicBoard } from '../net/public-board.ts';
import { type Column, columnsOf, fittingTable } from '../output/fitting-table.ts';
import { placeText } from '../output/place-text.ts';
import { grouped, yieldText } from '../output/screen.ts';
import { yieldOf } from '../views/today.ts';
import { compactCount } from '../views/usage-report.ts';
import { usageError } from './usage-view.ts';
import { type OwnStanding, openStanding, showBoardFault, showMissing, standingOf } from './what-if.ts';

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

/** Shows what the next rank and tier take, or those that are asked for. Sends nothing: it reads the public board. */
export const goalCommand: Command<GoalOptions> = async (context) => {
  const { screen, settings, options } = context;
  const own = await openStanding(context);
  const { counts, window, buckets, board } = own;
  const { yield_, tier, place, missing } = standingOf(counts, board);
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
    const more = tokensTo(goal.yield_, counts, field);
    const after = { ...counts, [field]: counts[field] + (more ?? 0) };
    return standingOf(after, board).missing.length > 0 ? null : more;
  };
  const goals = findGoals(options, yield_, own).map((goal) => ({
    ...goal,
    times: goal.yield_ / yield_,
    cache_read: tokensFor(goal, 'cache_read'),
    output: tokensFor(goal, 'output'),
    // Windows slide: a pace does not show what leaves them.
    days: window === 'all_time' ? daysFor(goal.yield_, counts, pace, board) : null,
  }));
  const parts = [
    `Yield ${yieldText(yield_)}`,
    ...(tier === null ? [] : [`tier ${tier}`]),
    ...(place === null ? [] : [placeText(place)]),
  ];
  screen.printWrapped(`This machine's counts ${windowSentence(window)}: ${screen.paint.bold(parts.join(', '))}.`);
  showMissing('Now', missing, context);
  showBoardFault(own, context);
  if (goals.length > 0) showGoals(goals, own, recent, context);
  else if (typeof board !== 'string') {
    const isAsked = options.rank !== undefined || options.tier !== undefined;
    const top = 'There is nothing above: this is the first rank and the highest tier.';
    screen.printWrapped(isAsked ? 'This goal is reached.' : top);
  }
  screen.result({ window, counts, yield_, tier, place, missing, goals, recent });
  return 'ok';
};

type PlannedGoal = Goal &
  Readonly<Record<'cache_read' | 'output' | 'days', number | null>> & { readonly times: number };

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
    column('Yield', (goal) => yieldText(goal.yield_)),
    column('Times', ({ times }) => grouped(Number(times.toPrecision(3))), { drop: 1 }),
    column('Cache read', ({ cache_read }) => addedText(cache_read)),
    column('or output', ({ output }) => addedText(output)),
    ...(window === 'all_time' ? [days] : []),
  ];
  screen.print('');
  screen.print(fittingTable(table, screen.columns, screen.paint));
  screen.print('');
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
  return standingOf(then, board).missing.length > 0 ? null : days;
}

/** The goals of the options, else the next rank and the next tier. */
function findGoals({ rank, tier }: GoalOptions, yield_: number, { board }: OwnStanding): readonly Goal[] {
  const goals = [...(tier === undefined ? [] : [tierGoal(tier)]), ...(rank === undefined ? [] : rankGoal(rank, board))];
  if (rank !== undefined || tier !== undefined) return goals.filter((goal) => goal.yield_ > yield_);
  const next = CLASS_TIERS.find(({ from }) => from > yield_);
  const ahead = typeof board === 'string' ? [] : board.yields.filter((each) => each > yield_);
  return [
    ...(ahead.length === 0 ? [] : [{ name: `rank ${ranked(ahead)}`, yield_: ahead.at(-1)! }]),
    ...(next === undefined ? [] : [{ name: `tier ${next.name}`, yield_: next.from }]),
  ];
}

/** The rank of the lowest of these Yields: equals share a rank. */
function ranked(yields: readonly number[]): number {
  return yields.indexOf(yields.at(-1)!) + 1;
}

function tierGoal(name: string): Goal {
  const found = CLASS_TIERS.find((each) => each.name === name.toUpperCase());
  if (found === undefined) throw usageError(`--tier takes ${CLASS_TIERS.map((each) => each.name).join(', ')}`);
  return { name: `tier ${found.name}`, yield_: found.from };
}

function rankGoal(text: string, board: PublicBoard | string): readonly Goal[] {
  const rank = Number(text);
  if (!Number.isInteger(rank) || rank < 1) throw usageError('--rank takes a rank, such as 10');
  if (typeof board === 'string') return [];
  const { yields, more } = board;
  const yield_ = yields[rank - 1];
  if (yield_ !== undefined) return [{ name: `rank ${rank}`, yield_ }];
  if (more > 0) throw usageError('the public board shows the Yields of its first 100 rows: --rank takes one of them');
  // Without further rows, any Yield has the last rank.
  if (rank === yields.length + 1) return [];
  throw usageError(`the last rank is ${yields.length + 1}, with yours among them`);
}
