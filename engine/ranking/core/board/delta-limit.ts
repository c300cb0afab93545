/** A population up to this size is compacted when a tenth of it differs, and MIN_DELTA operators at least. */
const LARGE_POPULATION = 1_000_000;
const SHARE = 0.1;
const MIN_DELTA = 20_000;
/** Share of the operators beyond LARGE_POPULATION that may differ. */
const LARGE_SHARE = 0.25;

/**
 * The number of operators in the delta above which a board with a base run of `slots` is compacted. Commits and reads cost
 * little more on a large delta. Early compaction saves memory, at least 164 bytes per operator and level in every process
 * that reads; late compaction saves time, which for large populations would exceed that of all commits.
 */
export function deltaLimit(slots: number): number {
  const beyond = Math.max(0, slots - LARGE_POPULATION);
  return Math.max(MIN_DELTA, SHARE * (slots - beyond) + LARGE_SHARE * beyond);
}
