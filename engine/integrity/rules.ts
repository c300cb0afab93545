import type { Measure } from './measures.ts';

/**
 * What a finding does to a row: `note` nothing, `hold` keeps it from being numbered, `exclude` says that arithmetic or a review rules it
 * out.
 */
export const SEVERITIES = ['note', 'hold', 'exclude'] as const;

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

export interface Rule {
  /** Bit `id − 1` of a mask. Never reused. */
  readonly id: number;
  readonly name: string;
  readonly severity: Severity;
  /** Null for findings, which no window's counts show: they come from a comparison of operators, or from a review. */
  readonly measure: Measure | null;
  /** What the numbers show, for people. */
  readonly sentence: string;
  /** What the operator can do. */
  readonly remedy: string;
  /** True where only the operator is to know, and of a copy the public once a moderator decided. */
  readonly isPrivate?: true;
}

const RECOUNT_OR_APPEAL =
  'If a log was counted wrongly, run `upsilon recount`: the exclusion ends once the counts are within the bound. Otherwise appeal at your account, and explain your usage.';

/** Every rule. Rule sets have the bounds. */
export const RULES: readonly Rule[] = [
  {
    id: 2,
    name: 'no-input',
    severity: 'exclude',
    measure: 'unsupported',
    sentence: 'There is far more output, or cache reads, than the input allows: every request has input.',
    remedy: RECOUNT_OR_APPEAL,
  },
  {
    id: 3,
    name: 'reads-beyond-context',
    severity: 'exclude',
    measure: 'context',
    sentence: 'There are more cache reads for each token of input and output than the context of a request can hold.',
    remedy: RECOUNT_OR_APPEAL,
  },
  {
    id: 4,
    name: 'output-beyond-response',
    severity: 'exclude',
    measure: 'velocity',
    sentence: 'There is more output for each input token than a response can have.',
    remedy: RECOUNT_OR_APPEAL,
  },
  {
    id: 12,
    name: 'identical-series',
    severity: 'hold',
    measure: null,
    sentence: 'On several days the counts grew in exactly the proportions that another operator had submitted before.',
    remedy:
      'Submit the usage of a machine under one codename only, and erase the other account. Otherwise appeal at your account.',
    isPrivate: true,
  },
  {
    id: 19,
    name: 'extraordinary-yield',
    severity: 'hold',
    measure: 'yield',
    sentence: 'The Yield is so far above the reference that a moderator looks at it before it is numbered.',
    remedy: 'You need not do anything. An explanation of your usage at your account helps the moderator.',
  },
  {
    id: 20,
    name: 'returned',
    severity: 'hold',
    measure: null,
    sentence:
      'An account with the same sign-in was erased while it was excluded; this one is numbered from 90 days after that on.',
    remedy: 'You need not do anything. Your account says until when.',
    isPrivate: true,
  },
  {
    id: 14,
    name: 'review',
    severity: 'exclude',
    measure: null,
    sentence: 'A moderator found the counts implausible.',
    remedy: 'Appeal at your account, and explain your usage.',
  },
];

export const bitOf = ({ id }: Pick<Rule, 'id'>): number => 1 << (id - 1);

export function ruleNamed(name: string): Rule {
  const rule = RULES.find((each) => each.name === name);
  if (rule === undefined) throw new RangeError(`there is no rule ${name}`);
  return rule;
}

export const EXCLUDING = maskOf(({ severity }) => severity === 'exclude');

export function maskOf(accept: (rule: Rule) => boolean): number {
  return RULES.filter(accept).reduce((mask, rule) => mask | bitOf(rule), 0);
}

/** The rules in a mask, in order of number. */
export function rulesIn(mask: number): readonly Rule[] {
  return mask === 0 ? [] : RULES.filter((rule) => (mask & bitOf(rule)) !== 0);
}
