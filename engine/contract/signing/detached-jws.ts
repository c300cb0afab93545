/** A parsed compact JWS with detached payload (RFC 7515, appendix F), not yet verified. */
export interface DetachedJws {
  /** The protected header's JSON value, not yet validated. */
  readonly header: unknown;
  /** The protected header as signed: base64url text. */
  readonly protectedHeader: string;
  /** The signature's 64 bytes as base64url text. */
  readonly signature: string;
}

/**
 * Of the last of 86 characters, two bits belong to the 64 bytes of a signature. Its other bits are zero in the canonical
 * encoding: otherwise several texts would decode to the same bytes.
 */
const DETACHED = /^([A-Za-z0-9_-]{1,1024})\.\.([A-Za-z0-9_-]{85}[AQgw])$/;

/** Parses a detached compact JWS with an Ed25519 signature; null when the text is malformed. */
export function parseDetachedJws(text: string): DetachedJws | null {
  const parts = DETACHED.exec(text);
  if (parts === null) return null;
  const [, protectedHeader = '', signature = ''] = parts;
  try {
    const header: unknown = JSON.parse(Buffer.from(protectedHeader, 'base64url').toString('utf8'));
    return { header, protectedHeader, signature };
  } catch {
    return null;
  }
}

/** The bytes covered by a JWS signature: `ASCII(protected header) . BASE64URL(payload)` (RFC 7515, section 5.1). */
export function signingInput(protectedHeader: string, payload: string): Buffer {
  return Buffer.from(`${protectedHeader}.${Buffer.from(payload, 'utf8').toString('base64url')}`, 'latin1');
}
