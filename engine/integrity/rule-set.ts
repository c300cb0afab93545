import type { Measure } from './rules.ts';

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
