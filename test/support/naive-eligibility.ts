/**
 * Whether totals (input, output, cache_read, cache_write) with input are eligible under a methodology: written from the
 * methodology's page, independent of the product's data.
 */
export function naiveEligibility(methodology: number, totals: readonly number[]): boolean {
  const tokens = totals.reduce((sum, count) => sum + count, 0);
  switch (methodology) {
    case 1:
      return true;
    case 2:
    // Of `other-bounds`.
    case 900:
      return tokens >= 10_000 && (totals[0] ?? 0) * 100_000 >= tokens;
    case 3:
    case 4:
      return tokens >= 400_000 && (totals[0] ?? 0) >= 1_000;
    default:
      throw new Error(`the model does not have methodology ${methodology}`);
  }
}
