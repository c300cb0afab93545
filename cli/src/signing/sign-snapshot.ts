import { type KeyObject, randomBytes, sign } from 'node:crypto';
import {
  type Counts,
  canonicalPayload,
  DEVICE_PROOF_TYP,
  SIGNATURE_ALG,
  type SignedPayload,
  SNAPSHOT_TYP,
  type SnapshotHeader,
  signingInput,
} from '../../../engine/contract/signing/index.ts';
import { VERSION } from '../version.ts';

const JTI_BYTES = 16;

/** The content of a snapshot before it is laid out. */
export interface SnapshotDraft {
  readonly codename: string;
  readonly platform: string;
  readonly totals: Counts;
  readonly kid: string;
  readonly stream: string;
  readonly epoch: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The moment that the totals refer to, in seconds since the epoch, when it is not `now`. */
  readonly asOf?: number | undefined;
}

/** What a snapshot's signature covers, and the request body. */
export interface SnapshotLayout {
  readonly header: SnapshotHeader;
  /** The canonical JSON that the signature covers. */
  readonly payload: string;
  /** The request body for a signature. */
  readonly body: (signature: string) => string;
}

/** Lays out a snapshot with a new random `jti`. */
export function layOutSnapshot(draft: SnapshotDraft): SnapshotLayout {
  const { input, output, cache_read, cache_write } = draft.totals;
  const signed: SignedPayload = {
    codename: draft.codename,
    input,
    output,
    cache_read,
    cache_write,
    platform: draft.platform,
  };
  const header: SnapshotHeader = {
    alg: SIGNATURE_ALG,
    typ: SNAPSHOT_TYP,
    kid: draft.kid,
    jti: randomBytes(JTI_BYTES).toString('base64url'),
    iat: Math.floor(draft.now / 1000),
    ...(draft.asOf === undefined ? {} : { as_of: draft.asOf }),
    stream: draft.stream,
    epoch: draft.epoch,
    cli: VERSION,
  };
  return { header, payload: canonicalPayload(signed), body: (signature) => JSON.stringify({ ...signed, signature }) };
}

/** Signs a laid-out snapshot; returns the request body. */
export function signSnapshot(layout: SnapshotLayout, key: KeyObject): string {
  return layout.body(detachedJws(layout.header, layout.payload, key));
}

/** The proof of possession for enrolling a key: a compact JWS over `{codename, iat}`. `now` in milliseconds. */
export function signDeviceProof(codename: string, key: KeyObject, now: number): string {
  const payload = JSON.stringify({ codename, iat: Math.floor(now / 1000) });
  return compactJws({ alg: SIGNATURE_ALG, typ: DEVICE_PROOF_TYP }, payload, key);
}

/** The two signed parts of a JWS: the encoded protected header and the encoded signature. */
interface SignedParts {
  readonly protectedHeader: string;
  readonly signature: string;
}

/** A compact JWS with detached payload (RFC 7515, appendix F) over exactly these payload characters. */
function detachedJws(header: object, payload: string, key: KeyObject): string {
  const { protectedHeader, signature } = signParts(header, payload, key);
  return `${protectedHeader}..${signature}`;
}

/** A compact JWS (RFC 7515, section 7.1). */
export function compactJws(header: object, payload: string, key: KeyObject): string {
  const { protectedHeader, signature } = signParts(header, payload, key);
  return `${protectedHeader}.${Buffer.from(payload, 'utf8').toString('base64url')}.${signature}`;
}

function signParts(header: object, payload: string, key: KeyObject): SignedParts {
  const protectedHeader = Buffer.from(JSON.stringify(header), 'utf8').toString('base64url');
  // Ed25519 includes its digest: the algorithm is null.
  const signature = sign(null, signingInput(protectedHeader, payload), key).toString('base64url');
  return { protectedHeader, signature };
}
