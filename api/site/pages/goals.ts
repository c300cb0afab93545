import type { Counts } from '../../../engine/contract/signing/index.ts';

const MORE = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3, roundingMode: 'ceil' });

/** What counts lack for a Yield, one way or the other; empty where neither leads there. */
export function waysTo({ input, output, cache_read: read }: Counts, yield_: number): string {
  const product = yield_ * input * input;
  const ways = [
    ...(read > 0 ? [`${MORE.format(product / read - output)} more tokens of output`] : []),
    ...(output > 0 ? [`${MORE.format(product / output - read)} more cache reads`] : []),
  ];
  return ways.join(', or ');
}
