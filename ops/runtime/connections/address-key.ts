import { isIP, isIPv4 } from 'node:net';
import type { TrustedProxy } from '../../../config/trusted-proxy.ts';

const MAPPED_IPV4 = '::ffff:';

/** Trusted addresses that are remembered. */
const MAX_REMEMBERED = 1_024;

/** Returns a predicate for addresses of trusted proxies. */
export function createTrust(trustedProxies: readonly TrustedProxy[]): (address: string) => boolean {
  const networks = trustedProxies.map(({ address, prefix, family }) => ({
    groups: ipv6Groups(address).slice(),
    bits: family === 'ipv4' ? MAPPED_BITS + prefix : prefix,
  }));
  const remembered = new Set<string>();
  return (address) => {
    if (remembered.has(address)) return true;
    if (isIP(address) === 0) return false;
    const groups = ipv6Groups(address);
    const isTrusted = networks.some((network) => isWithin(groups, network.groups, network.bits));
    if (isTrusted && remembered.size < MAX_REMEMBERED) remembered.add(address);
    return isTrusted;
  };
}

/** Whether the first bits of two addresses are equal. */
function isWithin(groups: Uint16Array, network: Uint16Array, bits: number): boolean {
  for (let at = 0; at * GROUP_BITS < bits; at++) {
    const ignored = Math.max(0, (at + 1) * GROUP_BITS - bits);
    if (groups[at]! >> ignored !== network[at]! >> ignored) return false;
  }
  return true;
}

/** Loopback peers: a proxy or tunnel on this machine may carry the connections of many clients. */
const LOOPBACK: readonly TrustedProxy[] = [
  { address: '127.0.0.0', prefix: 8, family: 'ipv4' },
  { address: '::1', prefix: 128, family: 'ipv6' },
];

/** The key by which a peer's connections are counted; null for loopback and trusted proxies, which carry many clients. */
export function createPeerKey(trustedProxies: readonly TrustedProxy[]): (remoteAddress: string) => string | null {
  const isTrusted = createTrust([...LOOPBACK, ...trustedProxies]);
  return (remoteAddress) => {
    const address = plainAddress(remoteAddress);
    return isTrusted(address) ? null : addressKey(address);
  };
}

/** An IPv4-mapped IPv6 address as IPv4, and any address without its zone. */
export function plainAddress(address: string): string {
  if (address.startsWith('::') && address.toLowerCase().startsWith(MAPPED_IPV4)) {
    const mapped = address.slice(MAPPED_IPV4.length);
    if (isIPv4(mapped)) return mapped;
  }
  const zone = address.indexOf('%');
  return zone < 0 ? address : address.slice(0, zone);
}

/** The key of a client: its plain address, or the /64 network of an IPv6 address, which providers assign to one customer. */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address === '' ? 'unknown' : address;
  const [a, b, c, d] = ipv6Groups(address);
  return `${a!.toString(16)}:${b!.toString(16)}:${c!.toString(16)}:${d!.toString(16)}/64`;
}

const GROUP_BITS = 16;
const GROUPS = new Uint16Array(8);

/** Where the IPv4 address begins in an IPv6 address that it is mapped into. */
const MAPPED_BITS = 96;

const [DOT, ZERO, COLON, LOWER_CASE, BEFORE_A] = [0x2e, 0x30, 0x3a, 0x20, 0x57] as const;

/**
 * The eight groups of a valid address without a zone; an IPv4 address is mapped into IPv6. The array is reused by the next
 * call.
 */
function ipv6Groups(address: string): Uint16Array {
  GROUPS.fill(0);
  const isIPv6Text = address.includes(':');
  let at = isIPv6Text ? 0 : 6;
  if (!isIPv6Text) GROUPS[5] = 0xffff;
  let [gap, bytes, hex, decimal] = [-1, 0, 0, 0];
  for (let index = 0, before = 0; index <= address.length; index++) {
    const code = index < address.length ? address.charCodeAt(index) : 0;
    if (code > COLON) hex = hex * 16 + (code | LOWER_CASE) - BEFORE_A;
    else if (code >= ZERO && code < COLON) {
      hex = hex * 16 + code - ZERO;
      decimal = decimal * 10 + code - ZERO;
    } else {
      if (code === DOT || bytes > 0) {
        GROUPS[at] = (GROUPS[at]! << 8) | decimal;
        bytes += 1;
        if (bytes === 2) at += 1;
      } else if (code === COLON && before === COLON) gap = at;
      else if (index > 0 && before !== COLON) GROUPS[at++] = hex;
      hex = 0;
      decimal = 0;
    }
    before = code;
  }
  if (bytes > 0) at += 1;
  if (gap < 0) return GROUPS;
  const tail = 8 - (at - gap);
  return GROUPS.copyWithin(tail, gap, at).fill(0, gap, tail);
}
