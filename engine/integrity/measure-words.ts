import { AGENT_TOKENS_AN_HOUR } from '../contract/agent-tokens.ts';
import type { Measure, StreamMeasure } from './rules.ts';
import { SOURCES } from './sources.ts';
import { THRESHOLDS } from './statistics.ts';

/** What each measure counts, for people: continues "at most 25". */
export const MEASURE_WORDS: Readonly<Record<Measure | StreamMeasure, string>> = {
  activeDays: 'days with growth',
  spread: 'standard errors of ln Yield',
  agents: 'agents at once, each at full speed',
  unsupported: `tokens of output, or ${THRESHOLDS.reads_an_output} times as many cache reads, without input`,
  source: 'platforms',
  contrast: 'input tokens for each output token outside of the window',
  erased: 'times the input that the present epoch has',
  repeats: 'repetitions',
  leverage: 'cache reads for each input token',
  velocity: 'output tokens for each input token',
  yield: 'Yield',
  fill: 'cache reads for each token that could have filled the cache',
  context: 'cache reads for each token of input or output, whichever is less',
  sharedGrowths: 'different growths by day that other streams have in the same proportions',
  multiples: 'growths by multiples of the same number',
};

/** Measures in tokens, of which only the ratio to the bound is published: counts are not public. */
export const COUNTING_MEASURES: ReadonlySet<Measure | StreamMeasure> = new Set(['unsupported']);

const shown = (value: number): string => value.toLocaleString('en-US');
const ofHundred = (share: number): string => `${shown(share * 100)} %`;

const { input, output, cache_read: reads, cache_write: writes } = AGENT_TOKENS_AN_HOUR;
const WITHOUT_WRITES = SOURCES.flatMap(({ platform, cacheWrites }) => (cacheWrites ? [] : platform)).join(', ');

/** How measures are taken that are more than a ratio of the window's counts, for people. */
export const MEASUREMENT_WORDS: Readonly<Partial<Record<Measure | StreamMeasure, string>>> = {
  agents: `In an hour, one agent at full speed processes at most ${shown(input)} tokens of input, ${shown(output)} of output, ${shown(reads)} cache reads and ${shown(writes)} cache writes. The growth of each stream by day, and between two samples of the last ${shown(THRESHOLDS.hourly_reach)} hours, is divided by that; the highest of the four numbers counts. The agents of all growths that went on in the same day, or hour, are summed. Of a time longer than ${shown(THRESHOLDS.full_speed_hours)} hours, ${ofHundred(THRESHOLDS.long_run_share)} of the rest counts as working time. The first growth of a stream has the time since its platform was released. An exclusion by too-many-agents then holds in every window, also after a recount, until a moderator voids it: the samples that showed it are thinned.`,
  unsupported: `Each token of input of a stream allows for ${shown(THRESHOLDS.supported_output)} tokens of output and ${shown(THRESHOLDS.supported_reads)} cache reads. What grows beyond that is summed until later input covers it. ${shown(THRESHOLDS.reads_an_output)} cache reads weigh as much as one token of output, and the larger of both sums counts, of all streams together.`,
  contrast: `Measured where the Yield of a stream in the window is at least ${shown(THRESHOLDS.contrast)} times its Yield over all time: the input of the stream before the window over its output before the window.`,
  erased: `Measured where the present epoch of a stream has at least ${ofHundred(THRESHOLDS.kept_share)} of the output and of the cache reads of the former epochs: their highest input over the input of the present epoch. Former input of at least ${ofHundred(THRESHOLDS.corrected_share)} of the present input and cache reads together does not count: the tool may have counted cache reads as input.`,
  repeats: `Growths of a stream in a row, by day or, in the last ${shown(THRESHOLDS.hourly_reach)} hours, by hour, whose four counts have the same proportions as in the growth before: they differ by at most one part in ${shown(1 / THRESHOLDS.same_proportions)}, or by ${THRESHOLDS.rounded_tokens} tokens (times the factor of the growth plus one), as rounding does, where the product of their shares in the three smaller counts is at most one in ${shown(1 / THRESHOLDS.rounded_by_chance)}. Growths with less than ${shown(THRESHOLDS.repeated_output)} tokens of output do not count.`,
  fill: `Cache reads over the sum of cache writes and input; over input alone on platforms that report no cache writes (${WITHOUT_WRITES}).`,
};

/** How findings are made that come from a comparison of operators or of single streams, by rule, for people. */
export const FINDING_WORDS: Readonly<Record<string, string>> = {
  'unusual-stream': `For operators with several streams. Each stream, and all streams of each platform together, with at least the tokens that a row needs, are compared over all time with the bounds of unusual-leverage, unusual-velocity, unusual-yield and unfilled-cache for their platform. The finding holds in every window.`,
  'repeated-stream': `The growths by day of a stream, each of other proportions, that at least ${shown(THRESHOLDS.repeating_streams - 1)} other streams of the operator have in the same proportions of the four counts, to 12 digits; more than ${shown(THRESHOLDS.shared_growths)} are a finding. The growth before a stream's first sample is unknown. Two streams can be the same logs counted twice, after the tool lost its settings.`,
  'multiplied-counts': `Measured where all growths of the output, the cache reads or the cache writes of a stream are multiples of one number, and their average is at least ${shown(THRESHOLDS.multiplied_tokens)} times that number; more than ${shown(THRESHOLDS.multiples)} such growths are a finding. Numbers that are powers of two or at least ${shown(THRESHOLDS.cached_prompt)}, and multiples of ${THRESHOLDS.cache_block} for cache reads and writes, do not count: prompts of that size are cached, in blocks.`,
};
