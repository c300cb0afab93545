/** A payload as JSON text (JSON.parse keeps −0, JSON.stringify does not) and the bytes that a signature covers. */
export interface CanonicalVector {
  readonly name: string;
  readonly payload_json: string;
  readonly canonical: string;
}

export interface VectorKey {
  readonly name: string;
  readonly kid: string;
  readonly x: string;
  /** The Ed25519 private seed, hex, so that another implementation can sign alike. */
  readonly seed: string;
  readonly operator: number;
  readonly revoked_at: string | null;
}

/** What must become of a snapshot. Times are RFC 3339 in UTC. */
export type ExpectedOutcome =
  | { readonly accepted: true; readonly stream: string; readonly epoch: number; readonly as_of: string }
  | { readonly accepted: false; readonly reason: string }
  /** Refused before it is logged; with a `reason`, verification says so too. */
  | { readonly status: 400; readonly about: 'body' | 'platform' | 'counts' | 'signature'; readonly reason?: string };

export interface SnapshotVector {
  readonly name: string;
  readonly why?: string;
  /** The operator whose token came with the request, by sequence number. */
  readonly operator: number;
  readonly received_at: string;
  /** The request body exactly as sent. */
  readonly body: string;
  readonly expected: ExpectedOutcome;
}

export interface SnapshotVectors {
  readonly about: string;
  readonly keys: readonly VectorKey[];
  readonly vectors: readonly SnapshotVector[];
}

export interface PublicKeyVector {
  readonly name: string;
  /** The raw public key, hex. */
  readonly key: string;
  readonly acceptable: boolean;
}

export interface DeviceProofVector {
  readonly name: string;
  /** The operator's codename. */
  readonly codename: string;
  /** The raw public key that is enrolled, base64url. */
  readonly x: string;
  readonly received_at: string;
  readonly proof: string;
  readonly accepted: boolean;
}
