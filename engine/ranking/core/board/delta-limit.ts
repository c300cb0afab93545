/** A field up to this size is sorted anew when a tenth of it differs, but at this many operators at least. */
const LARGE_POPULATION = 1_000_000;
const SHARE = 0.1;
const MIN_DELTA = 20_000;
/** Of what a large field has beyond that. */
const LARGE_SHARE = 0.25;

/**
 * The most operators by which a board may differ from a base of `slots`. Neither commits nor reads cost much more on a large
 * overlay: what speaks for an early compaction is memory, at least 164 bytes an operator (once for each layer that it is in) in
 * every process that reads, and against it the time of one, which for large fields would be most of what commits take.
 */
export function deltaLimit(slots: number): number {
  const beyond = Math.max(0, slots - LARGE_POPULATION);
  return Math.max(MIN_DELTA, SHARE * (slots - beyond) + LARGE_SHARE * beyond);
}
