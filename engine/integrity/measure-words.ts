import type { Measure } from './rules.ts';

/** What each measure counts, for people: continues "at most 25". */
export const MEASURE_WORDS: Readonly<Record<Measure, string>> = {
  activeDays: 'days with growth',
  spread: 'standard errors of ln Yield',
  agents: 'agents at once, each at full speed',
  unfounded: 'tokens of output, or 80 times as many cache reads, without input',
  source: 'platforms',
  contrast: 'input tokens for each output token outside of the window',
  erased: 'times the input that the present epoch has',
  repeats: 'repetitions',
  leverage: 'cache reads for each input token',
  velocity: 'output tokens for each input token',
  yield: 'of Yield',
  fill: 'cache reads for each token that could have filled the cache',
  context: 'cache reads for each token of input or output, whichever is less',
};

/** Measures in tokens, of which only the ratio to the bound is published: counts are not public. */
export const COUNTING_MEASURES: ReadonlySet<Measure> = new Set(['unfounded']);
