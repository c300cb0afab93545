import { windowSentence } from '../../../window-words.ts';
import type { Lever } from '../../analysis/levers.ts';
import { joinLines, showScores } from '../../text/lines.ts';
import { count, showNumber, showTimes } from '../../text/numbers.ts';
import type { Optimization } from './output.ts';

const LEVER_NAMES: Readonly<Record<Lever, string>> = {
  more_cache_reads: 'cache reads x',
  less_input: 'input divided by ',
  more_output: 'output x',
};

/** The answer as people read it. */
export function showOptimization(found: Optimization): string {
  const { operator, window, strongest, steps, next_rank, next_tier } = found;
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
    showBehind(found),
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

function showBehind({ above, behind_above }: Optimization): string | null {
  if (above === null || behind_above === null) return null;
  const { leverage_ratio, velocity_ratio, farther_behind } = behind_above;
  const which =
    farther_behind === 'neither'
      ? 'neither is below'
      : `farther behind in ${farther_behind === 'leverage' ? 'Leverage' : 'Velocity'}`;
  return `Against the medians of the ${above.looked_at} directly above: Leverage ${showTimes(leverage_ratio)}, Velocity ${showTimes(velocity_ratio)}; ${which}.`;
}
