/** Operators by which the board may differ from its base before it is sorted anew: a quarter of the field, this at least. */
const MIN_OVERLAY = 20_000;
const OVERLAY_SHARE = 0.25;

/**
 * The most operators by which a board may differ from a base of `slots`. Neither commits nor reads cost much more on a large
 * overlay: what speaks for an early compaction is memory, 164 bytes an operator in every process that reads.
 */
export function overlayLimit(slots: number): number {
  return Math.max(MIN_OVERLAY, slots * OVERLAY_SHARE);
}
