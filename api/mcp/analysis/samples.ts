import { quantile } from '../../quantile.ts';

/** Quantiles of finite values, by linear interpolation; null when there are none. */
export function spreadOf(values: readonly number[]) {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).toSorted();
  const at = (share: number): number => quantile(sorted, share);
  return { p10: at(0.1), p25: at(0.25), median: at(0.5), p75: at(0.75), p90: at(0.9) };
}

/**
 * Ranges of positions that represent [start, end): all of it when it has at most `blocks` × `blockSize` positions, else that
 * many blocks at equal distances, the first at the start and the last at the end. `offset` is 0-based.
 */
export function sampleRanges(start: number, end: number, blocks: number, blockSize: number) {
  const length = end - start;
  if (length <= 0) return [];
  if (length <= blocks * blockSize) return [{ offset: start, limit: length }];
  const last = end - blockSize;
  return Array.from({ length: blocks }, (_, block) => ({
    offset: blocks === 1 ? start : start + Math.floor((block * (last - start)) / (blocks - 1)),
    limit: blockSize,
  }));
}
