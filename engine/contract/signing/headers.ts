/** `typ` of a signed snapshot's protected header. */
export const SNAPSHOT_TYP = 'snapshot+jws';

/** `typ` of the proof that a device holds the enrolled key. */
export const DEVICE_PROOF_TYP = 'device-proof+jws';

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
  /** The ledger's epoch, which increments with each recount; 0 when absent. Only the highest epoch counts. */
  readonly epoch?: number | undefined;
  /** Version of the signing tool. */
  readonly cli?: string | undefined;
}
