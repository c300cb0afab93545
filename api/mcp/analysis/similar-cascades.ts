import { type Cascade, logRatio } from './separation.ts';

interface Candidate extends Cascade {
  readonly yield_: number;
}

/** A candidate with its distance: 0 is the same cascade, 0.69 is one ratio twice as large. */
export interface Similar<C> {
  readonly candidate: C;
  readonly distance: number;
}

/** The distance of two cascades: Euclid's, over the logarithms of both ratios. Infinite where only one has a zero. */
export function cascadeDistance(a: Cascade, b: Cascade): number {
  return Math.hypot(logRatio(a.leverage, b.leverage), logRatio(a.velocity, b.velocity));
}

/** Candidates from all that stand between two places of a board, and where it goes on beyond them. */
export interface Scanned<C> {
  readonly candidates: readonly C[];
  /** Whether there are entries before and after the candidates. */
  readonly more: { readonly above: boolean; readonly below: boolean };
}

/**
 * The candidates most similar to `own`, most similar first, and whether no entry beyond them can be more similar. Yield is
 * the product of the two ratios, so a cascade with r times the Yield is at least |ln r| / √2 away; this bounds all entries
 * beyond the scanned ends. `candidates` are in board order, without `own`.
 */
export function similarCascades<C extends Candidate>(
  own: Candidate,
  { candidates, more }: Scanned<C>,
  limit: number,
): { readonly similar: readonly Similar<C>[]; readonly certain: boolean } {
  const similar = candidates
    .map((candidate) => ({ candidate, distance: cascadeDistance(own, candidate) }))
    .filter(({ distance }) => Number.isFinite(distance))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, limit);
  const farthest = similar.length < limit ? Number.POSITIVE_INFINITY : similar.at(-1)!.distance;
  const beyond = (edge: Candidate | undefined): number =>
    edge === undefined ? 0 : Math.abs(logRatio(edge.yield_, own.yield_)) / Math.SQRT2;
  const certain =
    (!more.above || farthest <= beyond(candidates[0])) && (!more.below || farthest <= beyond(candidates.at(-1)));
  return { similar, certain };
}
