import type { Counts } from '../snapshot.ts';

/** A codename as stored: lower case, 3 to 32 characters, no hyphen at either end. */
export const CODENAME_PATTERN = /^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$/;

/** A platform name: lower case, 1 to 32 characters. */
export const PLATFORM_PATTERN = /^[a-z0-9][a-z0-9._-]{0,31}$/;

/** The platform of a snapshot without one. */
export const UNSPECIFIED_PLATFORM = 'unspecified';

/** The lower-case form of a codename, which is stored and looked up. */
export function codenameKey(codename: string): string {
  return codename.toLowerCase();
}

/** The fields of `Counts`, in the order in which they are stored, summed and printed. */
export const COUNT_FIELDS = ['input', 'output', 'cache_read', 'cache_write'] as const satisfies (keyof Counts)[];

/** The counts that begin at an index of numbers in the order of COUNT_FIELDS. */
export function countsAt(numbers: ArrayLike<number>, at = 0): Counts {
  return { input: numbers[at]!, output: numbers[at + 1]!, cache_read: numbers[at + 2]!, cache_write: numbers[at + 3]! };
}

/** Counts as numbers in the order of COUNT_FIELDS. */
export function countNumbers({ input, output, cache_read, cache_write }: Counts): [number, number, number, number] {
  return [input, output, cache_read, cache_write];
}

/** The largest accepted count: the largest integer that a double represents exactly. */
export const MAX_COUNT = Number.MAX_SAFE_INTEGER;

/** Largest lead over the server's time of a snapshot's or a device proof's times, in milliseconds. */
export const MAX_CLOCK_SKEW_MS = 5 * 60 * 1_000;

/** Largest age of a snapshot's times at receipt, in milliseconds. */
export const MAX_SNAPSHOT_AGE_MS = 90 * 24 * 60 * 60 * 1_000;

/** The largest epoch of a ledger. */
export const MAX_EPOCH = 1_000;

/** Longest tool version in a header, in characters. */
export const MAX_CLI_LENGTH = 32;

/**
 * How counts came to be: `exact`, taken as the AI tool wrote them, or `derived`, some of them computed from others. Ascending:
 * cumulative counts are derived once any part of them is.
 */
export const COUNTINGS = ['exact', 'derived'] as const;

export type Counting = (typeof COUNTINGS)[number];

/** `typ` of a signed snapshot's protected header. */
export const SNAPSHOT_TYP = 'snapshot+jws';

/** `typ` of the proof that a device holds the enrolled key. */
export const DEVICE_PROOF_TYP = 'device-proof+jws';

/** An automation token: random characters, then those by which the service recognizes its own without a query. */
export const AUTOMATION_TOKEN_PATTERN = /^ups_([A-Za-z0-9_-]{44})([A-Za-z0-9_-]{16})$/;

/** The only signature algorithm: Ed25519 under its JOSE name (RFC 8037). */
export const SIGNATURE_ALG = 'EdDSA';

/**
 * Forbidden header members: they would let the sender choose the key, the payload encoding or the semantics (RFC 7515,
 * section 4.1; RFC 7797).
 */
export const FORBIDDEN_HEADER_MEMBERS = ['crit', 'b64', 'jwk', 'jku', 'x5c', 'x5u'] as const;

/** The protected header of a signed snapshot. Times are whole seconds since the epoch. */
export interface SnapshotHeader {
  readonly alg: typeof SIGNATURE_ALG;
  readonly typ: typeof SNAPSHOT_TYP;
  /** RFC 7638 thumbprint of the device key. */
  readonly kid: string;
  /** Unique per operator: a repeated submission has the same one. */
  readonly jti: string;
  readonly iat: number;
  /** The time of the totals; `iat` when absent. */
  readonly as_of?: number | undefined;
  /** The ledger; `kid` when absent. */
  readonly stream?: string | undefined;
  /** The ledger's epoch, which increments when the tool counts from the start: at a recount, an import or another store. 0 when absent. Only the highest epoch counts. */
  readonly epoch?: number | undefined;
  /** Version of the signing tool. */
  readonly cli?: string | undefined;
  readonly counting?: Counting | undefined;
}
