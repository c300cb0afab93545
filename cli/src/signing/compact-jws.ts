import { type KeyObject, sign } from 'node:crypto';
import { signingInput } from '../../../engine/contract/signing/index.ts';

/** The two signed parts of a JWS: the encoded protected header and the encoded signature. */
interface SignedParts {
  readonly protectedHeader: string;
  readonly signature: string;
}

/** A compact JWS with detached payload (RFC 7515, appendix F) over exactly these payload characters. */
export function detachedJws(header: object, payload: string, key: KeyObject): string {
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
