import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { TrustedProxy } from '../../../config/trusted-proxy.ts';

/** Groups of 16 bits of an IPv6 address that identify one client: providers assign a /64 to each customer. */
const IPV6_CLIENT_GROUPS = 4;

const MAPPED_IPV4 = '::ffff:';

/** Returns a predicate for addresses of trusted proxies. */
export function createTrust(trustedProxies: readonly TrustedProxy[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const { address, prefix, family } of trustedProxies) trusted.addSubnet(address, prefix, family);
  return (address) => {
    if (isIPv4(address)) return trusted.check(address, 'ipv4');
    return isIPv6(address) && trusted.check(address, 'ipv6');
  };
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

/** The key of a client: its plain address, or the /64 network of an IPv6 address. */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address === '' ? 'unknown' : address;
  return `${prefixOf(address)}/64`;
}

/** The first groups of an IPv6 address in canonical form. */
function prefixOf(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::', 2);
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':');
    // A dotted IPv4 suffix stands for two groups.
    const afterGroups = after.length + (tail.includes('.') ? 1 : 0);
    while (groups.length + afterGroups < 8) groups.push('0');
    groups.push(...after);
  }
  return groups
    .slice(0, IPV6_CLIENT_GROUPS)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
