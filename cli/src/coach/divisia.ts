import type { Counts } from '../../../engine/contract/signing/index.ts';
import { addCounts, zeroCounts } from '../store/usage.ts';

/** The counts of a part of the usage, in each of two periods. */
export interface PartCounts {
  readonly key: string;
  readonly before: Counts;
  readonly after: Counts;
}

/** What a part contributed to the change of ln Yield, in all and by the counts that the Yield is made of. */
export interface Contribution extends PartCounts {
  readonly total: number;
  readonly cache_read: number;
  readonly output: number;
  /** Input counts twice and divides: more input lowers the Yield. */
  readonly input: number;
}

/** The change of ln Yield between two periods. */
export type YieldChange = NonNullable<ReturnType<typeof explainChange>>;

/** The exponents of the counts in the Yield. */
const EXPONENTS = { cache_read: 1, output: 1, input: -2 } as const;

/**
 * Decomposes the change of ln Yield into contributions of the parts, which add up to it: the log-mean Divisia index, method I.
 * Yield is cache_read × output / input², and each of these is a sum over the parts. A part contributes
 * w × ln(after / before) to the logarithm of a sum, with the weight w = L(after, before) / L(sum after, sum before), where
 * L(a, b) = (a − b) / ln(a / b) is the logarithmic mean. L(a, b) × ln(a / b) is a − b, also in the limit where a or b is 0, so
 * zeros of parts need no replacement (the analytical limit; Ang & Liu, Energy Policy 35, 2007). Null where a sum is 0: there is
 * no Yield before or after then.
 */
export function explainChange(parts: readonly PartCounts[]) {
  const before = sumOf(parts.map((part) => part.before));
  const after = sumOf(parts.map((part) => part.after));
  for (const { cache_read, output, input } of [before, after]) if (cache_read * output * input === 0) return null;
  const perToken = {
    cache_read: EXPONENTS.cache_read / logMean(after.cache_read, before.cache_read),
    output: EXPONENTS.output / logMean(after.output, before.output),
    input: EXPONENTS.input / logMean(after.input, before.input),
  };
  const contributions = parts.map((part): Contribution => {
    const cache_read = (part.after.cache_read - part.before.cache_read) * perToken.cache_read;
    const output = (part.after.output - part.before.output) * perToken.output;
    const input = (part.after.input - part.before.input) * perToken.input;
    return { ...part, cache_read, output, input, total: cache_read + output + input };
  });
  const change = {
    cache_read: EXPONENTS.cache_read * logRatio(after.cache_read, before.cache_read),
    output: EXPONENTS.output * logRatio(after.output, before.output),
    input: EXPONENTS.input * logRatio(after.input, before.input),
  };
  return { before, after, ...change, total: change.cache_read + change.output + change.input, contributions };
}

/** The logarithmic mean of two positive numbers. */
function logMean(one: number, other: number): number {
  return one === other ? one : (one - other) / logRatio(one, other);
}

/** ln(one / other), exact also where they are nearly equal. */
function logRatio(one: number, other: number): number {
  const ratio = one / other;
  return ratio > 0.5 && ratio < 2 ? Math.log1p((one - other) / other) : Math.log(ratio);
}

function sumOf(all: readonly Counts[]): Counts {
  const sum = zeroCounts();
  for (const counts of all) addCounts(sum, counts);
  return sum;
}
