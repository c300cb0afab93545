import { type Cascade, logRatio } from './separation.ts';

type Candidate = Cascade & { readonly yield_: number };

/** Euclidean, over the logarithms of both ratios: 0.69 is one ratio twice as large; infinite, a 0 in only one of them. */
export function cascadeDistance(a: Cascade, b: Cascade): number {
  return Math.hypot(logRatio(a.leverage, b.leverage), logRatio(a.velocity, b.velocity));
}

/** The entries between two positions of a board, and whether it has others beyond them. */
interface Scanned<C> {
  readonly candidates: readonly C[];
  /** Whether there are entries before and after the candidates. */
  readonly more: Readonly<Record<'above' | 'below', boolean>>;
}

/**
 * The candidates most similar to `own`, most similar first, and whether no entry beyond them can be more similar. Yield is
 * the product of the two ratios, so a cascade with r times the Yield is at least |ln r| / √2 away; this bounds all entries
 * beyond the scanned ends. `candidates` are in board order, without `own`.
 */
export function similarCascades<C extends Candidate>(own: Candidate, { candidates, more }: Scanned<C>, limit: number) {
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
