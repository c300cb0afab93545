import type { Measure } from './rules.ts';
import { READS_AN_OUTPUT } from './window-numbers.ts';

/** What each measure counts, for people: continues "at most 25". */
export const MEASURE_WORDS: Readonly<Record<Measure, string>> = {
  unsupported: `tokens of output, or ${READS_AN_OUTPUT} times as many cache reads, beyond what the input allows`,
  velocity: 'output tokens for each input token',
  yield: 'Yield',
  context: 'cache reads for each token of input or output, whichever is less',
};

/** Measures in tokens, of which only the ratio to the bound is published: counts are not public. */
export const COUNTING_MEASURES: ReadonlySet<Measure> = new Set(['unsupported']);
