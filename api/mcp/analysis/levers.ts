import type { CountFactors } from '../../../engine/ranking/index.ts';

/** The three things an operator can change, in the order of their names in a cascade. */
export const LEVERS = ['more_cache_reads', 'less_input', 'more_output'] as const;

export type Lever = (typeof LEVERS)[number];

/** The steps of a lever: 10 % more, a quarter more, twice as much; of input, that many times less. */
export const STEP_FACTORS = [1.1, 1.25, 2] as const;

/** Every lever at every step. */
export const LEVER_STEPS = LEVERS.flatMap((lever) => STEP_FACTORS.map((factor) => ({ lever, factor })));

type LeverStep = { readonly lever: Lever; readonly factor: number };

/** The factors of a step on the totals. */
export function factorsOf({ lever, factor }: LeverStep): CountFactors {
  return {
    input: lever === 'less_input' ? 1 / factor : 1,
    output: lever === 'more_output' ? factor : 1,
    cache_read: lever === 'more_cache_reads' ? factor : 1,
  };
}

/** The factor by which each lever alone raises one Yield to another, under Yield = cache_read × output / input²; null from 0, which no factor raises. */
export function movesTo(from: number, to: number): Record<Lever, number> | null {
  const times = to / from;
  if (!(from > 0) || !Number.isFinite(times)) return null;
  return { more_cache_reads: times, less_input: Math.sqrt(times), more_output: times };
}

/** The lever whose smallest step leads to the highest Yield; null when none raises it. */
export function strongestLever(steps: readonly (LeverStep & { readonly yield_: number })[], own: number) {
  const [smallest] = STEP_FACTORS;
  const [best] = steps.filter(({ factor }) => factor === smallest).toSorted((a, b) => b.yield_ - a.yield_);
  return best === undefined || !(own > 0) || !(best.yield_ > own)
    ? null
    : { lever: best.lever, times: best.yield_ / own };
}
