import * as z from 'zod';
import { type Window, windowSentence } from '../../../engine/contract/index.ts';
import type { BoardView, TierRange } from '../../../engine/ranking/index.ts';
import { defaultTier, ENOUGH_OPERATORS } from '../analysis/default-tier.ts';
import { MAIN_CAUSES, separate } from '../analysis/separation.ts';
import { count, joinLines, showNumber, showRatios } from '../text.ts';
import { boardFields, ratio, tierField, toolInput, windowField } from './fields.ts';
import { Group, mediansOf, readGroup } from './group.ts';
import { requireTier } from './require-operator.ts';
import { defineQuery } from './tool.ts';

/** The top of a tier: its first tenth, limited by a minimum and a maximum number of operators. */
const TOP_SHARE = 0.1;
const MIN_AT_THE_TOP = 5;
const MAX_AT_THE_TOP = 200;

export const describePowerUser = defineQuery({
  name: 'describe_power_user',
  title: 'What distinguishes the top of a tier',
  summary: 'How the top of a class tier differs from the rest of it, computed from the board.',
  description:
    'Compares the top of a class tier (its first tenth, 5 to 200 operators) with the rest of it in one window: quantiles of Yield, ' +
    'Leverage and Velocity, platforms, the ratios of the medians, and which of the two ratios causes the difference; also the ' +
    'medians of the next tier up. Computed from the entries of the current board; large groups are sampled, and every group states its size ' +
    `and the number of operators read. With fewer than ${ENOUGH_OPERATORS} operators in the tier enough is false and nothing is compared. The result describes ` +
    'the ratios of those operators, not how they work. Without class_tier: the highest tier with enough operators.',
  input: toolInput({ window: windowField, class_tier: tierField.optional() }),
  output: z.object({
    ...boardFields,
    tier: z
      .object({ name: z.string(), from: z.number(), below: z.number().nullable() })
      .nullable()
      .describe('The tier and its range of Yields; null when no operator is ranked.'),
    operators: z.int().min(0).describe('Ranked operators of the tier.'),
    enough: z.boolean().describe('Whether the tier has enough operators for a comparison.'),
    top: Group.nullable(),
    rest: Group.nullable(),
    next_tier: Group.nullable().describe('The tier above; null when there is none, or when it is empty.'),
    difference: z
      .object({
        leverage_ratio: ratio.describe('Median Leverage of the top over that of the rest.'),
        velocity_ratio: ratio,
        leverage_share: ratio.describe('Share of the difference due to Leverage, in logarithms.'),
        velocity_share: ratio,
        main: z.enum(MAIN_CAUSES),
      })
      .nullable(),
  }),
  async find({ window, class_tier }, board) {
    const ranges = await board.tierRanges(window);
    const tier = class_tier === undefined ? defaultTier(ranges) : requireTier(ranges, class_tier);
    if (tier === null) {
      const text = `No operator is ranked ${windowSentence(window)} yet, so there is nothing to describe.`;
      return [{ tier, operators: 0, enough: false, top: null, rest: null, next_tier: null, difference: null }, text];
    }
    const described = await describe(board, window, ranges, tier);
    const { name, from, below } = tier;
    return [{ ...described, tier: { name, from, below } }, show(window, tier, described)];
  },
});

async function describe(board: BoardView, window: Window, ranges: readonly TierRange[], tier: TierRange) {
  const operators = tier.end - tier.start;
  const group = (start: number, end: number) => readGroup(board, window, start, end);
  const above = ranges[ranges.indexOf(tier) - 1];
  const next_tier = above === undefined ? null : await group(above.start, above.end);
  const enough = operators >= ENOUGH_OPERATORS;
  if (!enough) {
    return { operators, enough, top: await group(tier.start, tier.end), rest: null, next_tier, difference: null };
  }
  const atTop = Math.min(MAX_AT_THE_TOP, Math.max(MIN_AT_THE_TOP, Math.ceil(operators * TOP_SHARE)));
  const middle = tier.start + atTop;
  const [top, rest] = await Promise.all([group(tier.start, middle), group(middle, tier.end)]);
  const difference = top === null || rest === null ? null : separate(mediansOf(top), mediansOf(rest));
  return { operators, enough, top, rest, next_tier, difference };
}

const MAIN_WORDS: Readonly<Record<(typeof MAIN_CAUSES)[number], string>> = {
  leverage: 'Leverage (more cache reads for each input token)',
  velocity: 'Velocity (more output for each input token)',
  both: 'both Leverage and Velocity',
  neither: 'neither ratio',
};

function show(window: Window, tier: TierRange, described: Awaited<ReturnType<typeof describe>>): string {
  const { operators, enough, top, rest, next_tier, difference } = described;
  const yields = `Yield ${showNumber(tier.from)}${tier.below === null ? ' and above' : ` to below ${showNumber(tier.below)}`}`;
  return joinLines(
    `Tier ${tier.name} (${yields}) has ${count(operators, 'operator')} ${windowSentence(window)}.`,
    enough ? null : `That is fewer than ${ENOUGH_OPERATORS}: too few to compare its top with the rest.`,
    top && showGroup(enough ? 'Its top' : 'All of it', top),
    rest && showGroup('The rest', rest),
    next_tier && showGroup('The next tier up', next_tier),
    difference &&
      `What distinguishes the top, by the medians: ${MAIN_WORDS[difference.main]}; ${showRatios(difference)}.`,
  );
}

function showGroup(name: string, { looked_at, operators, leverage, velocity, platforms }: Group): string {
  const of = looked_at === operators ? count(operators, 'operator') : `${looked_at} read of ${operators}`;
  const used = platforms.map(({ platform, operators: users }) => `${platform} ${users}`).join(', ');
  return `${name} (${of}): Leverage ${showMiddle(leverage)}; Velocity ${showMiddle(velocity)}; platforms: ${used}.`;
}

function showMiddle({ median, p25, p75 }: Group['leverage']): string {
  return `median ${showNumber(median)}, middle half ${showNumber(p25)} to ${showNumber(p75)}`;
}
