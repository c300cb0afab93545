import type { Counts } from './snapshot.ts';

/** Why an operator has no rank in a window, with the words that continue "not ranked there, because". */
export const UNRANKED_REASONS = {
  no_tokens: 'there is no usage',
  no_input: 'the usage has no input tokens',
  too_few_tokens: 'the usage has fewer tokens than the methodology requires',
  too_little_input: 'the usage has fewer input tokens than the methodology requires',
  input_share_too_small: 'the share of input tokens is smaller than the methodology requires',
  not_computable: 'the input is too small a fraction of a token for a Yield',
  held: 'its Yield is not settled yet',
  excluded: 'the counts are not plausible',
} as const;

export type UnrankedReason = keyof typeof UNRANKED_REASONS;

/** The words for a reason; those of `no_tokens` for null. */
export function unrankedText(reason: UnrankedReason | null): string {
  return UNRANKED_REASONS[reason ?? 'no_tokens'];
}

/** What a row can lack, with the words that follow a number. */
export const MISSING_WORDS = {
  tokens: 'tokens',
  input: 'input tokens',
  input_share: 'input tokens for each token',
  witnessed_days: 'witnessed days',
  vouching_days: 'witnessed days that vouch for the Yield',
  acceptance: 'acceptance by a moderator',
} as const;

/** What a row lacks for a rank, or for not being provisional any more. */
export interface Missing {
  readonly of: keyof typeof MISSING_WORDS;
  readonly needs: number;
  readonly has: number;
}

/** What a methodology requires of the totals of a window. */
export type Floors = Readonly<Record<'minimum_tokens' | 'minimum_input' | 'minimum_input_share', number>>;

/** What totals with tokens lack for the floors. */
export function missingIn(
  { input, output, cache_read, cache_write }: Counts,
  { minimum_tokens, minimum_input, minimum_input_share }: Floors,
): Missing[] {
  const tokens = input + output + cache_read + cache_write;
  if (tokens === 0) return [];
  const floors: Missing[] = [
    { of: 'tokens', needs: minimum_tokens, has: tokens },
    { of: 'input', needs: minimum_input, has: input },
    { of: 'input_share', needs: minimum_input_share, has: input / tokens },
  ];
  return floors.filter(({ needs, has }) => has < needs);
}

/**
 * `missingIn` as others see it: what is there in full tenths of the floor. Exact sums would disclose the cache writes, which are in no
 * public ratio; so would an exact share beside an exact input.
 */
export function publicMissingIn(...of: Parameters<typeof missingIn>): Missing[] {
  return missingIn(...of).map((each) => ({
    ...each,
    has: (Math.floor((each.has / each.needs) * 10) * each.needs) / 10,
  }));
}

/** What is counted one by one. */
const COUNTED: ReadonlySet<string> = new Set(['witnessed_days', 'vouching_days', 'acceptance']);

/** `needs 1,000 input tokens, has 10% of that`. */
export function missingText({ of, needs, has }: Missing): string {
  // Created on use: the first `Intl.NumberFormat` of a process takes 30 ms.
  const numbers = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6 });
  const there = COUNTED.has(of) ? numbers.format(has) : `${Math.floor((has / needs) * 100 + 1e-9)}% of that`;
  return `needs ${numbers.format(needs)} ${MISSING_WORDS[of]}, has ${there}`;
}

/** What a row lacks for a rank, without what only keeps it provisional. */
export function lackedOf(missing: readonly Missing[]): readonly Missing[] {
  return missing.filter(({ of }) => of !== 'witnessed_days');
}

/**
 * How a row stands that is not settled yet: `would be rank 12: counts from its 14th vouching day on, 3 so far`, without a rank from
 * `counts` on.
 */
export function heldText(wouldBe: number | null, missing: readonly Missing[]): string {
  const days = missing.find(({ of }) => of === 'vouching_days');
  const accepted = missing.some(({ of }) => of === 'acceptance') ? 'once a moderator has accepted the Yield' : null;
  const from = days && `from its ${days.needs}${days.needs === 3 ? 'rd' : 'th'} vouching day on, ${days.has} so far`;
  const conditions = [from, accepted].filter((condition) => condition !== undefined && condition !== null);
  const until = conditions.length === 0 ? 'once its finding has ended' : conditions.join(', and ');
  return `${wouldBe === null ? '' : `would be rank ${wouldBe}: `}counts ${until}`;
}

/** What the public ratios disclose: for everybody who decides whether to submit. */
export const PUBLIC_TOTALS =
  'Leverage and velocity are public and exact, so anybody can compute your exact totals of input, output and cache reads from them, day by day.';
