import { BlockList, isIP, isIPv4 } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { TrustedProxy } from '../../../config/trusted-proxy.ts';

/** An IPv4 address that is mapped into IPv6, in the form of URLs. */
const MAPPED_IPV4 = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/;

/** Returns a predicate for addresses of trusted proxies. IPv4 networks have the IPv6 addresses that are mapped into them. */
export function createTrust(trustedProxies: readonly TrustedProxy[]): (address: string) => boolean {
  const networks = new BlockList();
  for (const { address, prefix, family } of trustedProxies) networks.addSubnet(address, prefix, family);
  // The same few proxies carry most requests, and the list parses the address each time.
  const known = new LRUCache<string, boolean>({ max: 100 });
  return (address) => {
    const is =
      known.get(address) ?? (isIP(address) !== 0 && networks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6'));
    known.set(address, is);
    return is;
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

/** An IPv4-mapped IPv6 address, however it is written, as IPv4, and any address without its zone. */
export function plainAddress(address: string): string {
  const zone = address.indexOf('%');
  const plain = zone < 0 ? address : address.slice(0, zone);
  if (!/^[0:]+:ffff:/i.test(plain) || isIP(plain) === 0) return plain;
  const [, high, low] = MAPPED_IPV4.exec(new URL(`http://[${plain}]`).hostname) ?? [];
  if (high === undefined || low === undefined) return plain;
  return [high, low].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]).join('.');
}

const IPV6_GROUPS = 8;
/** Groups of the /64 network. */
const NETWORK_GROUPS = 4;

/** The key of a client: its plain address, or the /64 network of an IPv6 address, which providers assign to one customer. */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address === '' ? 'unknown' : address;
  const [head, tail] = address.split('::');
  const [before, after] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array.from({ length: IPV6_GROUPS - before.length - after.length }, () => '0');
  const network = [...before, ...zeros, ...after].slice(0, NETWORK_GROUPS);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}/64`;
}

/** The groups of a part of an IPv6 address. An IPv4 address at its end takes the place of two, whose values play no role here. */
function groupsOf(part = ''): string[] {
  return part
    .replace(/\d+\.[\d.]+$/, '0:0')
    .split(':')
    .filter(Boolean);
}
