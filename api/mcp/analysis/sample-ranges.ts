/** A run of positions: from `offset` (0-based), `limit` of them. */
export interface SampleRange {
  readonly offset: number;
  readonly limit: number;
}

/**
 * Ranges of positions that stand for [start, end): the whole where it is at most `blocks` × `blockSize` long, else that many
 * blocks at equal distances, the first at the start and the last at the end.
 */
export function sampleRanges(start: number, end: number, blocks: number, blockSize: number): SampleRange[] {
  const length = end - start;
  if (length <= 0) return [];
  if (length <= blocks * blockSize) return [{ offset: start, limit: length }];
  const last = end - blockSize;
  return Array.from({ length: blocks }, (_, block) => ({
    offset: blocks === 1 ? start : start + Math.floor((block * (last - start)) / (blocks - 1)),
    limit: blockSize,
  }));
}
