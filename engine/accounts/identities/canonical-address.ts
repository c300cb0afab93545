import { domainToASCII } from 'node:url';

/** Octets of the longest deliverable address (RFC 5321, 4.5.3.1). */
const MAX_ADDRESS_LENGTH = 254;

const LOCAL_PART = /^[^\s@"<>()[\]\\,;:\p{C}]{1,64}$/u;
const DOMAIN = /^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))+$/;

/**
 * The canonical form in which an address is stored and compared: lower case, the domain in ASCII. Null when the address is
 * not deliverable; quoted local parts and address literals count as such.
 */
export function canonicalAddress(text: string): string | null {
  const trimmed = text.trim();
  const at = trimmed.lastIndexOf('@');
  if (at <= 0) return null;
  const local = trimmed.slice(0, at).normalize('NFC').toLowerCase();
  const domain = domainToASCII(trimmed.slice(at + 1)).toLowerCase();
  if (!LOCAL_PART.test(local) || !DOMAIN.test(domain)) return null;
  const address = `${local}@${domain}`;
  return Buffer.byteLength(address) <= MAX_ADDRESS_LENGTH ? address : null;
}
