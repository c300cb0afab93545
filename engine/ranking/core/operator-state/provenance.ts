import { COUNTINGS, type Counting, MAX_AGREEMENT_DAYS } from '../../../contract/signing/index.ts';

/**
 * What the signed headers of a stream, in its highest epoch, state about its counts. Each member is the greatest that was
 * stated, so that merging is commutative, associative and idempotent. Immutable.
 */
export interface Provenance {
  readonly counting: Counting;
  /** The tool's version: `major × 10⁸ + minor × 10⁴ + patch`; 0 without one. */
  readonly version: number;
  readonly agreement: DayAgreement | null;
}

/**
 * The days on which logs and metrics agreed or differed, as sets: bit i stands for `day` − i. A day in both differs: it was
 * stated both ways. Holds MAX_AGREEMENT_DAYS days up to the last one that was stated.
 */
export interface DayAgreement {
  /** Days since the epoch. */
  readonly day: number;
  readonly agreed: number;
  readonly differed: number;
}

/** Numbers of a version are below it. */
export const VERSION_STEP = 10_000;
const ALL_DAYS = 2 ** MAX_AGREEMENT_DAYS - 1;

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
  const agreement = mergeAgreement(known.agreement, stated.agreement);
  const isSame = counting === known.counting && version === known.version && agreement === known.agreement;
  return isSame ? known : { counting, version, agreement };
}

function mergeAgreement(known: DayAgreement | null, stated: DayAgreement | null): DayAgreement | null {
  if (known === null || stated === null) return known ?? stated;
  const day = Math.max(known.day, stated.day);
  const [own, other] = [daysUntil(known, day), daysUntil(stated, day)];
  const agreed = own.agreed | other.agreed;
  const differed = own.differed | other.differed;
  const isSame = day === known.day && agreed === known.agreed && differed === known.differed;
  return isSame ? known : { day, agreed, differed };
}

/** The same days as sets whose bit 0 stands for `until`; days after it are left out. */
export function daysUntil({ day, agreed, differed }: DayAgreement, until: number): DayAgreement {
  const shift = until - day;
  const shifted = (bits: number): number => {
    if (Math.abs(shift) >= MAX_AGREEMENT_DAYS) return 0;
    return (shift >= 0 ? bits << shift : bits >>> -shift) & ALL_DAYS;
  };
  return { day: until, agreed: shifted(agreed), differed: shifted(differed) };
}
