import type { Statistic } from './statistics.ts';

/** How much a finding weighs: `note` and `flag` are shown on the row, `exclude` takes it off the board of the window. */
export const SEVERITIES = ['note', 'flag', 'exclude'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** A rule that an operator crosses in some window. */
export interface IntegrityFinding {
  readonly operator: number;
  readonly rule: string;
  readonly severity: Severity;
  readonly boardVersion: number;
}

/** What findings are all of: those about some operators, or those of some rules. */
export type Checked = { readonly operators: readonly number[] } | { readonly rules: readonly string[] };

/**
 * What a rule compares with its bound: a statistic, or a ratio of the window's counts. `fill`: cache reads for each token that
 * could have filled the cache, which are cache writes and input, or input alone where the source reports no cache writes.
 * `context`: cache reads for each token of input or of output, whichever is less.
 */
export type Measure = Statistic | 'leverage' | 'velocity' | 'yield' | 'fill' | 'context';

/**
 * What is counted of single streams. `sharedGrowths`: different growths by day that other streams have in the same proportions.
 * `multiples`: growths of one count, all by multiples of one number.
 */
export type StreamMeasure = 'sharedGrowths' | 'multiples';

export interface Rule {
  /** Bit `id − 1` of a mask. Never reused. */
  readonly id: number;
  readonly name: string;
  readonly severity: Severity;
  /**
   * `physics` (and arithmetic) holds for any window; `statistics` only for windows that have the volume to be ranked;
   * `finding`: the operator's record has it, from a comparison of operators or of single streams, or from a review.
   */
  readonly kind: 'physics' | 'statistics' | 'finding';
  /** Null for findings, which no window's totals show. */
  readonly measure: Measure | null;
  /** Whether an exclusion outlasts the samples that showed it, until a review clears it: those samples are thinned. */
  readonly lasting?: true;
  /** What the numbers show, for people. */
  readonly sentence: string;
  /** What the operator can do. */
  readonly remedy: string;
}

const RECOUNT = 'If a log was counted wrongly, run `upsilon recount`. Otherwise explain the usage in an answer.';
const RECOUNT_OR_EXPLAIN =
  'If a log was counted wrongly, run `upsilon recount`. If the machine of the stream no longer exists, or the usage was like this, explain it in an answer.';
/** An answer brings no moderator. */
const RECOUNT_OR_APPEAL =
  'If a log was counted wrongly, run `upsilon recount`: the exclusion ends once the counts are within the bound. Otherwise appeal on the account page, with an explanation of the usage.';

/** Every rule. Rule sets have the bounds. */
export const RULES: readonly Rule[] = [
  {
    id: 1,
    name: 'too-many-agents',
    severity: 'exclude',
    kind: 'physics',
    measure: 'agents',
    lasting: true,
    sentence: 'Between two samples the counts grew by more tokens than many agents at once can process in that time.',
    remedy:
      'If a log was counted wrongly, run `upsilon recount`. Then appeal on the account page: the exclusion lasts until a moderator voids the finding.',
  },
  {
    id: 2,
    name: 'no-input',
    severity: 'exclude',
    kind: 'physics',
    measure: 'unsupported',
    sentence:
      'Output or cache reads of streams grew far beyond what the growth of their input allows: every request has input.',
    remedy: RECOUNT_OR_APPEAL,
  },
  {
    id: 3,
    name: 'reads-beyond-context',
    severity: 'exclude',
    kind: 'physics',
    measure: 'context',
    sentence: 'There are more cache reads for each token of input and output than the context of a request can hold.',
    remedy: RECOUNT_OR_APPEAL,
  },
  {
    id: 4,
    name: 'output-beyond-response',
    severity: 'exclude',
    kind: 'physics',
    measure: 'velocity',
    sentence: 'There is more output for each input token than a response can have.',
    remedy: RECOUNT_OR_APPEAL,
  },
  {
    id: 5,
    name: 'unfilled-cache',
    severity: 'flag',
    kind: 'statistics',
    measure: 'fill',
    sentence:
      'There are more cache reads than its cache writes and input plausibly filled, compared with its platform.',
    remedy: RECOUNT,
  },
  {
    id: 6,
    name: 'unusual-leverage',
    severity: 'flag',
    kind: 'statistics',
    measure: 'leverage',
    sentence: 'Cache reads for each input token are far above those of almost all usage of the platform.',
    remedy: RECOUNT,
  },
  {
    id: 7,
    name: 'unusual-velocity',
    severity: 'flag',
    kind: 'statistics',
    measure: 'velocity',
    sentence: 'Output for each input token is far above that of almost all usage of the platform.',
    remedy: RECOUNT,
  },
  {
    id: 8,
    name: 'unusual-yield',
    severity: 'flag',
    kind: 'statistics',
    measure: 'yield',
    sentence: 'The Yield is far above that of almost all usage of the platform.',
    remedy: RECOUNT,
  },
  {
    id: 9,
    name: 'only-in-window',
    severity: 'flag',
    kind: 'statistics',
    measure: 'contrast',
    sentence:
      'A stream has a far greater Yield in this window than over all time, as if its input were moved out of the window.',
    remedy: RECOUNT,
  },
  {
    id: 10,
    name: 'erased-input',
    severity: 'flag',
    kind: 'statistics',
    measure: 'erased',
    sentence: 'A new epoch kept the cache reads and the output of the former one, but little of its input.',
    remedy: 'A recount after a correction of the tool can cause this. Explain it in an answer.',
  },
  {
    id: 11,
    name: 'repeated-growth',
    severity: 'flag',
    kind: 'statistics',
    measure: 'repeats',
    sentence: 'The counts grew many times in a row in the same proportions.',
    remedy: RECOUNT,
  },
  {
    id: 12,
    name: 'identical-series',
    severity: 'flag',
    kind: 'finding',
    measure: null,
    sentence: 'On several days the counts of another operator grew in exactly the same proportions.',
    remedy: 'Submit the usage of a machine under one codename only, and erase the other account.',
  },
  {
    id: 14,
    name: 'review',
    severity: 'exclude',
    kind: 'finding',
    measure: null,
    sentence: 'A moderator found the counts implausible.',
    remedy: 'Appeal on the account page, with an explanation of the usage.',
  },
  {
    id: 15,
    name: 'many-agents',
    severity: 'flag',
    kind: 'statistics',
    measure: 'agents',
    sentence: 'The counts grew as fast as several agents at once at full speed.',
    remedy: RECOUNT,
  },
  {
    id: 16,
    name: 'unusual-stream',
    severity: 'flag',
    kind: 'finding',
    measure: null,
    sentence: 'A ratio of one stream, or of one platform, is far above that of almost all usage of the platform.',
    remedy: RECOUNT_OR_EXPLAIN,
  },
  {
    id: 17,
    name: 'repeated-stream',
    severity: 'flag',
    kind: 'finding',
    measure: null,
    sentence: 'On several days the counts of three or more streams grew in exactly the same proportions.',
    remedy:
      'The same logs may have been counted by several ledgers, as after the loss of the settings of the tool. Explain it in an answer.',
  },
  {
    id: 18,
    name: 'multiplied-counts',
    severity: 'flag',
    kind: 'finding',
    measure: null,
    sentence: 'A count of one stream grew by multiples of the same number only, as if it were multiplied.',
    remedy: RECOUNT_OR_EXPLAIN,
  },
];

/** The bit of a rule in a mask. */
export const bitOf = ({ id }: Pick<Rule, 'id'>): number => 1 << (id - 1);

export function ruleNamed(name: string): Rule {
  const rule = RULES.find((each) => each.name === name);
  if (rule === undefined) throw new RangeError(`there is no rule ${name}`);
  return rule;
}

/** Rules that exclude. */
export const EXCLUDING = maskOf(({ severity }) => severity === 'exclude');

/** Rules that count against a history. */
export const FLAGGING = maskOf(({ severity }) => severity !== 'note');

export function maskOf(accept: (rule: Rule) => boolean): number {
  return RULES.filter(accept).reduce((mask, rule) => mask | bitOf(rule), 0);
}

/** The rules in a mask, in order of number. */
export function rulesIn(mask: number): readonly Rule[] {
  return mask === 0 ? [] : RULES.filter((rule) => (mask & bitOf(rule)) !== 0);
}
