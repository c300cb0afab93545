import type { Measure } from './measures.ts';

/**
 * What judges rows: numbered, immutable, plain data. A methodology names its rule set, so a change of a bound or of the reference is a
 * change of the methodology, with preview, re-rank and rollback.
 */
export interface RuleSet {
  readonly id: number;
  /** A window's measure above its bound excludes the row there. */
  readonly bounds: Readonly<Record<Arithmetic, number>>;
  /** Where the bounds come from, for people. */
  readonly calibration: Readonly<Record<Arithmetic, string>>;
  /** By which Yields are judged; null: every row without a finding is settled. */
  readonly reference: Reference | null;
}

/** The measures whose bounds arithmetic gives. */
export type Arithmetic = Exclude<Measure, 'yield'>;

/** Quantiles of Yield of all platforms together and of each, the same for all windows. */
export interface Reference {
  readonly all: Quantiles;
  readonly platforms: Readonly<Record<string, Quantiles>>;
  /** Where it comes from, for people. */
  readonly origin: string;
}

/** The 75th, 90th and 99th percentile of Yield. */
export interface Quantiles {
  readonly p75: number;
  readonly p90: number;
  readonly p99: number;
}

const ARITHMETIC: Pick<RuleSet, 'bounds' | 'calibration'> = {
  bounds: { unsupported: 250_000, context: 4_000_000, velocity: 200_000 },
  calibration: {
    unsupported: 'The bound allows for logs that lost the input of some requests.',
    context: 'The largest contexts hold 2 million tokens; some logs write no input for every other request.',
    velocity: 'The longest responses have 128,000 tokens.',
  },
};

const ruleSet1: RuleSet = { id: 1, ...ARITHMETIC, reference: null };

const ruleSet2: RuleSet = {
  id: 2,
  ...ARITHMETIC,
  reference: {
    origin:
      'Simulated histories of 13,920 honest operators, by requests and sessions, without rare habits; rounded to two digits.',
    all: { p75: 2_400, p90: 7.1e5, p99: 9.5e6 },
    platforms: {
      'claude-code': { p75: 1.3e6, p90: 7e6, p99: 3e7 },
      codex: { p75: 1.1, p90: 2.2, p99: 7.5 },
      'gemini-cli': { p75: 0.16, p90: 0.73, p99: 2.7 },
      opencode: { p75: 2_300, p90: 8.7e5, p99: 8.5e6 },
      'copilot-cli': { p75: 4.5e5, p90: 2.4e6, p99: 1.1e7 },
      'qwen-code': { p75: 0.089, p90: 0.45, p99: 1.4 },
      amp: { p75: 7.1e5, p90: 3.6e6, p99: 1.2e7 },
      droid: { p75: 2_000, p90: 5.5e5, p99: 8.2e6 },
      kimi: { p75: 1.2, p90: 2.5, p99: 5.7 },
      pi: { p75: 1_100, p90: 5.9e5, p99: 6.8e6 },
      cline: { p75: 2_900, p90: 9e5, p99: 9.2e6 },
      'roo-code': { p75: 1_100, p90: 4.9e5, p99: 6.4e6 },
      'kilo-code': { p75: 2_000, p90: 8e5, p99: 7.7e6 },
      hermes: { p75: 1_900, p90: 7.6e5, p99: 8.7e6 },
      'kilo-cli': { p75: 1_700, p90: 5.4e5, p99: 7.6e6 },
      openclaw: { p75: 2_900, p90: 7e5, p99: 7.7e6 },
    },
  },
};

/** Every rule set, by number. Never edit a published one: add one with the next number. */
export const RULE_SETS: ReadonlyMap<number, RuleSet> = new Map([ruleSet1, ruleSet2].map((set) => [set.id, set]));
