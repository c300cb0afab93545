import { PLACE_OF, READS_AN_OUTPUT } from './window-numbers.ts';

/** What rules can compare with a bound. */
export type Measure = 'unsupported' | 'context' | 'velocity' | 'yield';

interface MeasureSpec {
  /** What it counts, for people: continues "at most 25". */
  readonly words: string;
  /** Whether it is in tokens, of which only the ratio to the bound is published: counts are not public. */
  readonly inTokens?: true;
  /** Its value in the window whose numbers begin at `at`. */
  readonly of: (totals: Float64Array, at: number) => number;
}

/** The Yield of counts; 0 without input. */
export function plainYield(input: number, output: number, reads: number): number {
  return input > 0 ? (reads / input) * (output / input) : 0;
}

export const MEASURES: Readonly<Record<Measure, MeasureSpec>> = {
  unsupported: {
    words: `tokens of output, or ${READS_AN_OUTPUT} times as many cache reads, beyond what the input allows`,
    inTokens: true,
    of: (totals, at) => totals[at + PLACE_OF.unsupported]!,
  },
  context: {
    words: 'cache reads for each token of input or output, whichever is less',
    of(totals, at) {
      return totals[at]! > 0 ? totals[at + 2]! / Math.max(1, Math.min(totals[at]!, totals[at + 1]!)) : 0;
    },
  },
  velocity: {
    words: 'output tokens for each input token',
    of: (totals, at) => (totals[at]! > 0 ? totals[at + 1]! / totals[at]! : 0),
  },
  yield: {
    words: 'Yield',
    of: (totals, at) => plainYield(totals[at]!, totals[at + 1]!, totals[at + 2]!),
  },
};
