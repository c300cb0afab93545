/** A class tier: its name and the least Yield that belongs to it. */
export interface Tier {
  readonly name: string;
  readonly from: number;
}

/**
 * How window totals become a score: numbered, immutable, plain data. Every board names the methodology that made it.
 * `formula` names a function of `engine/ranking/core/score.ts`.
 */
export interface Methodology {
  readonly id: number;
  readonly formula: 'yield-1';
  readonly eligibility: {
    /** The least sum of the four counts in a window, in tokens, that can be ranked there. */
    readonly minimum_tokens: number;
  };
  /** In ascending order of `from`; the first starts at 0. */
  readonly tiers: readonly Tier[];
  /** What changed and why, for people. */
  readonly notes: string;
}
