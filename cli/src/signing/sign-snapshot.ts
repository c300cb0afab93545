import { type KeyObject, randomBytes, sign } from 'node:crypto';
import {
  type Counting,
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
  readonly counting: Counting;
  readonly kid: string;
  readonly stream: string;
  readonly epoch: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The moment that the totals refer to, in seconds since the epoch, when it is not `now`. */
  readonly asOf?: number | undefined;
}

/** What a snapshot's signature covers, and the request body. */
export type SnapshotLayout = Readonly<ReturnType<typeof layOutSnapshot>>;

/** Lays out a snapshot with a new random `jti`. */
export function layOutSnapshot({ codename, platform, totals, kid, stream, epoch, now, ...draft }: SnapshotDraft) {
  const { input, output, cache_read, cache_write } = totals;
  const signed: SignedPayload = { codename, input, output, cache_read, cache_write, platform };
  const header: SnapshotHeader = {
    alg: SIGNATURE_ALG,
    typ: SNAPSHOT_TYP,
    kid,
    jti: randomBytes(JTI_BYTES).toString('base64url'),
    iat: Math.floor(now / 1000),
    ...(draft.asOf === undefined ? {} : { as_of: draft.asOf }),
    stream,
    epoch,
    cli: VERSION,
    counting: draft.counting,
  };
  return {
    header,
    /** The canonical JSON that the signature covers. */
    payload: canonicalPayload(signed),
    /** The request body for a signature. */
    body: (signature: string) => JSON.stringify({ ...signed, signature }),
  };
}

/** Signs a laid-out snapshot: a detached JWS (RFC 7515, appendix F) over exactly its payload. Returns the request body. */
export function signSnapshot({ header, payload, body }: SnapshotLayout, key: KeyObject): string {
  return body(compactJws(header, payload, key, ''));
}

/** The proof of possession for enrolling a key: a compact JWS over `{codename, iat}`. `now` in milliseconds. */
export function signDeviceProof(codename: string, key: KeyObject, now: number): string {
  const payload = JSON.stringify({ codename, iat: Math.floor(now / 1000) });
  return compactJws({ alg: SIGNATURE_ALG, typ: DEVICE_PROOF_TYP }, payload, key);
}

/** A compact JWS (RFC 7515, section 7.1). `shown`: the payload as it appears in the JWS, empty when it is detached. */
export function compactJws(header: object, payload: string, key: KeyObject, shown = base64url(payload)): string {
  const protectedHeader = base64url(JSON.stringify(header));
  // Ed25519 includes its digest: the algorithm is null.
  const signature = sign(null, signingInput(protectedHeader, payload), key).toString('base64url');
  return `${protectedHeader}.${shown}.${signature}`;
}

function base64url(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url');
}
