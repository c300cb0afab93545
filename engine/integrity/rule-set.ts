/**
 * The bounds of rules: numbered, immutable, plain data. A value above its bound crosses it. A methodology names its rule set,
 * so a change of bounds is a change of the methodology, with preview, re-rank and rollback.
 */
export interface RuleSet {
  readonly id: number;
  readonly bounds: readonly RuleBound[];
}

export interface RuleBound {
  /** The name of a rule with a measure. */
  readonly rule: string;
  /** For every platform without a separate bound. */
  readonly above: number;
  readonly platforms?: Readonly<Record<string, number>>;
  /** Where the bound comes from, for people. */
  readonly calibration: string;
  /** Values of the measure on either side of the bound. */
  readonly vectors: readonly { readonly platform: string; readonly value: number; readonly crosses: boolean }[];
}

/** The bound of a rule for a platform. */
export function boundFor({ above, platforms }: RuleBound, platform: string): number {
  return platforms?.[platform] ?? above;
}
