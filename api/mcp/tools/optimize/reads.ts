import type { Window } from '../../../../engine/contract/index.ts';
import type { BoardView } from '../../../../engine/ranking/index.ts';
import { factorsOf, LEVER_STEPS, movesTo } from '../../analysis/levers.ts';
import { separate } from '../../analysis/separation.ts';
import { groupOf } from '../group.ts';
import type { RankedStanding } from '../require-operator.ts';
import type { Optimization } from './output.ts';

/** Operators directly above that an operator is measured by. */
const MEASURED_BY = 50;

type Operator = Omit<RankedStanding, 'percentile'> & { readonly codename: string };

/** Where every step of every lever would put the operator. Steps to totals that cannot be ranked are left out. */
export async function readSteps(
  board: BoardView,
  { codename, rank: own }: Operator,
  window: Window,
): Promise<Optimization['steps']> {
  const simulated = await board.simulate(codename, window, LEVER_STEPS.map(factorsOf));
  return LEVER_STEPS.flatMap((step, index) => {
    const found = simulated?.[index];
    if (found === null || found === undefined) return [];
    const { yield_, leverage, velocity, class_tier, rank } = found;
    return [{ ...step, yield_, leverage, velocity, class_tier, rank, ranks_gained: own - rank }];
  });
}

/** The next operator above and the next tier, and what it takes to come to each. */
export async function readGoals(
  board: BoardView,
  { yield_, rank }: Operator,
  window: Window,
): Promise<Pick<Optimization, 'next_rank' | 'next_tier'>> {
  const above = rank > 1 ? (await board.lines(window, rank - 2, 1)).find((line) => line.yield_ > yield_) : undefined;
  const tier = board.methodology.tiers.find(({ from }) => from > yield_);
  return {
    next_rank: above === undefined ? null : { ...pickLine(above), needed: movesTo(yield_, above.yield_) },
    next_tier:
      tier === undefined
        ? null
        : {
            class_tier: tier.name,
            yield_: tier.from,
            // Whoever stands exactly at the threshold shares the rank of those who do.
            rank: 1 + (await countAbove(board, window, tier.from)),
            needed: movesTo(yield_, tier.from),
          },
  };
}

function pickLine({ codename, rank, yield_ }: { codename: string; rank: number; yield_: number }) {
  return { codename, rank, yield_ };
}

/** How many have strictly more than a Yield above 0. */
async function countAbove(board: BoardView, window: Window, yield_: number): Promise<number> {
  const atLeast = await board.countAtLeast(window, yield_);
  if (atLeast === 0) return 0;
  const [last] = await board.lines(window, atLeast - 1, 1);
  return last?.yield_ === yield_ ? last.rank - 1 : atLeast;
}

/** Those directly above, and how far the operator's ratios lie below their medians. */
export async function readThoseAbove(
  board: BoardView,
  operator: Operator,
  window: Window,
): Promise<Pick<Optimization, 'above' | 'behind_above'>> {
  const end = operator.rank - 1;
  const start = Math.max(0, end - MEASURED_BY);
  const lines = end > start ? await board.lines(window, start, end - start) : [];
  const above = groupOf({ operators: lines.length, lines });
  if (above === null) return { above: null, behind_above: null };
  const medians = { leverage: above.leverage.median, velocity: above.velocity.median };
  const { leverage_ratio, velocity_ratio } = separate(operator, medians);
  const lower = Math.min(leverage_ratio ?? 1, velocity_ratio ?? 1);
  const farther = leverage_ratio === lower ? 'leverage' : 'velocity';
  return { above, behind_above: { leverage_ratio, velocity_ratio, farther_behind: lower < 1 ? farther : 'neither' } };
}
