import { isIP } from 'node:net';

/** A network of trusted proxies, in the form of the arguments of `net.BlockList.addSubnet`. */
export interface TrustedProxy {
  readonly address: string;
  /** Prefix length in bits: 0 to 32 for IPv4, 0 to 128 for IPv6. */
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Parses `10.0.0.0/8`, `::1` and the like; null when the text is neither an address nor a network. */
export function parseTrustedProxy(text: string): TrustedProxy | null {
  const [address = '', prefixText, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return null;
  const bits = version === 4 ? 32 : 128;
  const prefix = prefixText === undefined ? bits : /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : bits + 1;
  if (prefix > bits) return null;
  return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}
