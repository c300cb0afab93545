import { z } from 'zod';
import { RULE_SETS } from '../../integrity/index.ts';

/** Formula ids; `engine/ranking/core/score.ts` has the functions. */
const FORMULAS = ['yield-1'] as const;

const tierSchema = z.strictObject({
  name: z.string().regex(/^[A-Z][A-Z0-9+ -]{0,15}$/),
  /** Minimum Yield of the tier. */
  from: z.number().min(0),
});

/**
 * How window totals become a score: numbered, immutable, plain data. Every board has the number of its methodology.
 * Eligibility applies to each window separately; an ineligible operator is unranked there.
 */
export const methodologySchema = z.strictObject({
  id: z.int().min(1),
  formula: z.enum(FORMULAS),
  eligibility: z.strictObject({
    /** Minimum sum of the four counts, in tokens; 0 for no minimum. */
    minimum_tokens: z.number().min(0),
    /** Minimum input, in tokens; 0 for no minimum. */
    minimum_input: z.number().min(0),
    /** Minimum share of `input` in the sum of the four counts, from 0 (no minimum) to below 1. */
    minimum_input_share: z.number().min(0).lt(1),
  }),
  /** Witnessed days below which a numbered row is provisional. */
  minimum_witnessed_days: z.int().min(0),
  /** Number of the rule set in `engine/integrity`; null for none. Rules apply to each window separately. */
  rules: z
    .int()
    .refine((set) => RULE_SETS.has(set), 'there is no such rule set')
    .nullable(),
  /** In ascending order of `from`; the first starts at 0. */
  tiers: z
    .array(tierSchema)
    .min(1)
    .refine((tiers) => tiers[0]?.from === 0, 'the first tier must start at 0')
    .refine(
      (tiers) => tiers.every(({ from }, index) => index === 0 || from > tiers[index - 1]!.from),
      'tiers must ascend',
    )
    .refine((tiers) => new Set(tiers.map(({ name }) => name)).size === tiers.length, 'tiers must have different names'),
  /** Description for people; from the second on, what changed and why. */
  notes: z.string().min(1),
});

type Parsed = z.output<typeof methodologySchema>;

/** A class tier: its name and its minimum Yield. */
export type Tier = Readonly<Parsed['tiers'][number]>;

export interface Methodology extends Readonly<Omit<Parsed, 'eligibility' | 'tiers'>> {
  readonly eligibility: Readonly<Parsed['eligibility']>;
  readonly tiers: readonly Tier[];
}
