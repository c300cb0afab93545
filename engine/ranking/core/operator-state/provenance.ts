import { COUNTINGS, type Counting } from '../../../contract/signing/index.ts';

/**
 * What the signed headers of a stream, in its highest epoch, state about its counts. Each member is the greatest that was
 * stated, so that merging is commutative, associative and idempotent. Immutable.
 */
export interface Provenance {
  readonly counting: Counting;
  /** The tool's version: `major × 10⁸ + minor × 10⁴ + patch`; 0 without one. */
  readonly version: number;
}

/** Numbers of a version are below it. */
export const VERSION_STEP = 10_000;

/** The version as text; null without one. */
export function versionText(version: number): string | null {
  if (version === 0) return null;
  return [
    Math.floor(version / VERSION_STEP / VERSION_STEP),
    Math.floor(version / VERSION_STEP) % VERSION_STEP,
    version % VERSION_STEP,
  ].join('.');
}

/** Returns `known` itself when `stated` adds nothing. */
export function mergeProvenance(known: Provenance | null, stated: Provenance | null): Provenance | null {
  if (known === null || stated === null) return known ?? stated;
  const isDerived = COUNTINGS.indexOf(stated.counting) > COUNTINGS.indexOf(known.counting);
  const counting = isDerived ? stated.counting : known.counting;
  const version = Math.max(known.version, stated.version);
  const isSame = counting === known.counting && version === known.version;
  return isSame ? known : { counting, version };
}
