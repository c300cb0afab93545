import { RECORD_WINDOWS, totalsOfRecord } from './record-counts.ts';

const COUNTS = 4;

/** Whether totals with input are eligible, implemented independently from the public descriptions of the methodologies. */
function isEligible(methodology: number, [input = 0, ...others]: readonly number[]): boolean {
  const tokens = others.reduce((sum, count) => sum + count, input);
  if (methodology === 1) return true;
  if (methodology === 2) return tokens >= 10_000 && input * 100_000 >= tokens;
  throw new Error(`the conditions of methodology ${methodology} are unknown`);
}

/** The Yield of input, output, cache_read and cache_write by definition; NaN when unranked. */
export function naiveYield(methodology: number, counts: readonly number[]): number {
  const [input = 0, output = 0, cacheRead = 0] = counts;
  if (input === 0 || !isEligible(methodology, counts)) return Number.NaN;
  return (cacheRead * output) / (input * input);
}

/** The Yields of records 1 to `records` under a methodology, one array per window; element 0 is NaN. */
export function naiveYields(methodology: number, records: number, smallEvery = 0): Float64Array[] {
  const yields = Array.from({ length: RECORD_WINDOWS }, () => new Float64Array(records + 1).fill(Number.NaN));
  for (let index = 1; index <= records; index++) {
    const totals = totalsOfRecord(index, smallEvery);
    for (let window = 0; window < RECORD_WINDOWS; window++) {
      const counts = [...totals.subarray(window * COUNTS, (window + 1) * COUNTS)];
      yields[window]![index] = naiveYield(methodology, counts);
    }
  }
  return yields;
}
