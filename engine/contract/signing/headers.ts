/** `typ` of a signed snapshot's protected header. */
export const SNAPSHOT_TYP = 'snapshot+jws';

/** `typ` of the proof that a device holds the key it enrols. */
export const DEVICE_PROOF_TYP = 'device-proof+jws';

/** The one signature algorithm: Ed25519 under JOSE's name for it (RFC 8037). */
export const SIGNATURE_ALG = 'EdDSA';

/**
 * Members that no header of ours may have: they would move the choice of key, of payload or of meaning from the server
 * to the sender (RFC 7515, section 4.1; RFC 7797).
 */
export const FORBIDDEN_HEADER_MEMBERS = ['crit', 'b64', 'jwk', 'jku', 'x5c', 'x5u'] as const;

/** The protected header of a signed snapshot. Times are whole seconds since the epoch. */
export interface SnapshotHeader {
  readonly alg: typeof SIGNATURE_ALG;
  readonly typ: typeof SNAPSHOT_TYP;
  /** RFC 7638 thumbprint of the device key. */
  readonly kid: string;
  /** Unique for the operator: a snapshot sent again carries the same one. */
  readonly jti: string;
  readonly iat: number;
  /** The moment whose totals these are; `iat` when absent. */
  readonly as_of?: number | undefined;
  /** The ledger whose totals these are; `kid` when absent. */
  readonly stream?: string | undefined;
  /** The ledger's recount number; 0 when absent. Only the highest counts. */
  readonly epoch?: number | undefined;
  /** The version of the tool that signed. */
  readonly cli?: string | undefined;
}
