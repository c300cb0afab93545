import * as z from 'zod';
import { type Window, windowSentence } from '../../../engine/contract/index.ts';
import type { BoardView } from '../../../engine/ranking/index.ts';
import {
  factorsOf,
  LEVER_STEPS,
  LEVERS,
  type Lever,
  movesTo,
  STEP_FACTORS,
  strongestLever,
} from '../analysis/levers.ts';
import { separate } from '../analysis/separation.ts';
import { count, joinLines, showNumber, showRatios, showScores } from '../text.ts';
import { boardFields, codenameField, Line, ratio, toolInput, windowField } from './fields.ts';
import { Group, groupOf, mediansOf } from './group.ts';
import { type RankedStanding, requireOperator, requireRanked } from './require-operator.ts';
import { defineQuery } from './tool.ts';

const Needed = z
  .object({
    more_cache_reads: z.number().describe('Cache reads times this.'),
    less_input: z.number().describe('Input divided by this.'),
    more_output: z.number().describe('Output times this.'),
  })
  .nullable()
  .describe('How far each lever alone would have to change; null from a Yield of 0, which no factor raises.');

const Step = z.object({
  lever: z.enum(LEVERS),
  factor: z.number().describe('Cache reads or output times this, or input divided by it.'),
  yield_: z.number(),
  leverage: z.number(),
  velocity: z.number(),
  class_tier: z.string(),
  rank: z.int().min(1).describe('The rank this Yield has on the current board, all others unchanged.'),
  ranks_gained: z.int(),
});

const Optimization = z.object({
  ...boardFields,
  operator: Line.omit({ platform: true }),
  strongest: z
    .object({ lever: z.enum(LEVERS), times: z.number().describe('What its smallest step multiplies Yield by.') })
    .nullable()
    .describe('Null where no step changes Yield: without cache reads or output it stays 0.'),
  steps: z.array(Step),
  next_rank: z
    .object({ codename: z.string(), rank: z.int().min(1), yield_: z.number(), needed: Needed })
    .nullable()
    .describe('The next operator above, and the changes that reach its Yield; null for rank 1.'),
  next_tier: z
    .object({ class_tier: z.string(), yield_: z.number(), rank: z.int().min(1), needed: Needed })
    .nullable()
    .describe('The minimum Yield of the next tier, and the rank of that Yield; null in the highest tier.'),
  above: Group.nullable().describe('The operators directly above with which behind_above compares; null for rank 1.'),
  behind_above: z
    .object({
      leverage_ratio: ratio.describe('Own Leverage over their median.'),
      velocity_ratio: ratio.describe('Own Velocity over their median.'),
      farther_behind: z.enum(['leverage', 'velocity', 'neither']),
    })
    .nullable(),
});

type Optimization = Omit<z.infer<typeof Optimization>, keyof typeof boardFields>;

export const optimizeEfficiency = defineQuery({
  name: 'optimize_efficiency',
  title: 'What would raise the Yield',
  summary: "Which lever changes an operator's Yield most, and the rank that each step would reach.",
  description:
    "Changes each lever of an operator's Yield separately (cache reads and output multiplied by, input divided by " +
    `${STEP_FACTORS.join(', ')}) and looks up the rank of each result on the current board, with all other operators unchanged. ` +
    'strongest is the lever whose smallest step raises Yield most; behind_above states which ratio is farther below the median of ' +
    'up to 50 operators directly above. next_rank and next_tier state how far each lever alone would have to change. The steps ' +
    'are arithmetic on totals of the window, not advice on how to work: totals of all time only grow, so less input ' +
    'means using less from now on, and its effect appears sooner in shorter windows.',
  input: toolInput({ codename: codenameField, window: windowField }),
  output: Optimization,
  async find({ codename, window }, board) {
    const profile = await requireOperator(board, codename);
    const { percentile: _, ...standing } = requireRanked(profile, window);
    const operator = { codename: profile.codename, ...standing };
    const steps = await readSteps(board, operator, window);
    const goals = await readGoals(board, operator, window);
    const above = await readThoseAbove(board, operator, window);
    const found = { operator, strongest: strongestLever(steps, operator.yield_), steps, ...goals, ...above };
    return [found, showOptimization(found, window)];
  },
});

/** Operators directly above with which an operator is compared. */
const COMPARED_WITH = 50;

type Operator = Omit<RankedStanding, 'percentile'> & { readonly codename: string };

/** The scores and rank after every step of every lever. Steps to totals that cannot be ranked are omitted. */
async function readSteps(board: BoardView, { codename, rank: own }: Operator, window: Window) {
  const simulated = await board.simulate(codename, window, LEVER_STEPS.map(factorsOf));
  return LEVER_STEPS.flatMap((step, index) => {
    const found = simulated?.[index];
    if (found === null || found === undefined) return [];
    return [{ ...step, ...found, ranks_gained: own - found.rank }];
  });
}

/** The next operator above and the next tier, and the changes that reach each. */
async function readGoals(board: BoardView, { codename, yield_, rank }: Operator, window: Window) {
  const above = rank > 1 ? (await board.rows(window, rank - 2, 1)).find((row) => row.yield_ > yield_) : undefined;
  const standing = await board.standing({ window, yield_, without: codename });
  const tier = standing?.next_tier ?? null;
  return {
    next_rank: above
      ? { codename: above.codename, rank: above.rank, yield_: above.yield_, needed: movesTo(yield_, above.yield_) }
      : null,
    next_tier: tier && { ...tier, needed: movesTo(yield_, tier.yield_) },
  };
}

/** The operators directly above, and the operator's ratios over their medians. */
async function readThoseAbove(board: BoardView, operator: Operator, window: Window) {
  const end = operator.rank - 1;
  const start = Math.max(0, end - COMPARED_WITH);
  const lines = end > start ? await board.rows(window, start, end - start) : [];
  const above = groupOf(lines.length, lines);
  if (above === null) return { above: null, behind_above: null };
  const { leverage_ratio, velocity_ratio } = separate(operator, mediansOf(above));
  const lower = Math.min(leverage_ratio ?? 1, velocity_ratio ?? 1);
  const farther_behind = lower >= 1 ? 'neither' : leverage_ratio === lower ? 'leverage' : 'velocity';
  return { above, behind_above: { leverage_ratio, velocity_ratio, farther_behind } as const };
}

const LEVER_NAMES: Readonly<Record<Lever, string>> = {
  more_cache_reads: 'cache reads x',
  less_input: 'input divided by ',
  more_output: 'output x',
};

const FARTHER_WORDS = {
  leverage: 'farther behind in Leverage',
  velocity: 'farther behind in Velocity',
  neither: 'neither is below',
} as const;

/** The result as text. */
function showOptimization(found: Optimization, window: Window): string {
  const { operator, strongest, steps, next_rank, next_tier, above, behind_above } = found;
  return joinLines(
    `${operator.codename} is #${operator.rank} ${windowSentence(window)}: ${showScores(operator)}, ${operator.class_tier}.`,
    strongest === null
      ? 'No single lever changes this Yield: it needs both cache reads and output.'
      : `The strongest lever is ${strongest.lever}: its smallest step multiplies Yield by ${showNumber(strongest.times)}.`,
    'Each step separately, with its rank on the current board:',
    ...steps.map(showStep),
    next_rank &&
      `To reach #${next_rank.rank} ${next_rank.codename} (Yield ${showNumber(next_rank.yield_)}): ${showNeeded(next_rank.needed)}.`,
    next_tier &&
      `Tier ${next_tier.class_tier} (Yield ${showNumber(next_tier.yield_)}, rank ${next_tier.rank}): ${showNeeded(next_tier.needed)}.`,
    above &&
      behind_above &&
      `Against the medians of the ${above.looked_at} directly above: ${showRatios(behind_above)}; ${FARTHER_WORDS[behind_above.farther_behind]}.`,
  );
}

function showStep({ lever, factor, yield_, rank, ranks_gained, class_tier }: Optimization['steps'][number]): string {
  const gained = ranks_gained === 0 ? 'no rank gained' : `${count(ranks_gained, 'rank')} gained`;
  return `- ${LEVER_NAMES[lever]}${factor}: Yield ${showNumber(yield_)}, #${rank} (${gained}), ${class_tier}`;
}

function showNeeded(needed: NonNullable<Optimization['next_rank']>['needed']): string {
  if (needed === null) return 'no single lever reaches it from a Yield of 0';
  const { more_cache_reads, less_input, more_output } = needed;
  return `cache reads x${showNumber(more_cache_reads)}, or input divided by ${showNumber(less_input)}, or output x${showNumber(more_output)}`;
}
