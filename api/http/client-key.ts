import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { TrustedProxy } from '../../config/trusted-proxy.ts';

/** Groups of 16 bits of an IPv6 address that make one client: a /64 is what one customer gets. */
const IPV6_CLIENT_GROUPS = 4;

/** Hops of X-Forwarded-For that are looked at, from the right. */
const MAX_HOPS = 16;

const MAPPED_IPV4 = '::ffff:';

/** Tells which client a request comes from: the text by which its requests are counted. */
export type ClientKey = (remoteAddress: string | undefined, forwardedFor: string | undefined) => string;

/**
 * Makes the function that names a request's client: the peer, or, while the peer is a trusted proxy, the address it
 * says it forwards for. Only what trusted hops wrote is believed, so the header is read from the right.
 */
export function createClientKey(trustedProxies: readonly TrustedProxy[]): ClientKey {
  if (trustedProxies.length === 0) return (remoteAddress) => keyOf(plain(remoteAddress ?? ''));
  const trusted = new BlockList();
  for (const { address, prefix, family } of trustedProxies) trusted.addSubnet(address, prefix, family);
  const isTrusted = (address: string): boolean => {
    if (isIPv4(address)) return trusted.check(address, 'ipv4');
    return isIPv6(address) && trusted.check(address, 'ipv6');
  };
  return (remoteAddress, forwardedFor) => {
    let address = plain(remoteAddress ?? '');
    const hops = (forwardedFor ?? '').split(',').slice(-MAX_HOPS);
    while (hops.length > 0 && isTrusted(address)) {
      const next = plain(withoutPort((hops.pop() ?? '').trim()));
      if (!isIPv4(next) && !isIPv6(next)) break;
      address = next;
    }
    return keyOf(address);
  };
}

/** The client of a request. Several X-Forwarded-For lines are one list. */
export function clientOf({ socket, headers }: IncomingMessage, clientKey: ClientKey): string {
  const forwarded = headers['x-forwarded-for'];
  return clientKey(socket.remoteAddress, typeof forwarded === 'string' ? forwarded : forwarded?.join(','));
}

/** An IPv4 address in the clothes of IPv6 is the IPv4 address; a zone is no part of an address. */
function plain(address: string): string {
  if (address.startsWith('::') && address.toLowerCase().startsWith(MAPPED_IPV4)) {
    const mapped = address.slice(MAPPED_IPV4.length);
    if (isIPv4(mapped)) return mapped;
  }
  const zone = address.indexOf('%');
  return zone < 0 ? address : address.slice(0, zone);
}

/** Some proxies write `192.0.2.1:1234` or `[2001:db8::1]:1234`. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(hop);
  if (bracketed !== null) return bracketed[1] ?? '';
  return /^[\d.]+:\d+$/.test(hop) ? (hop.split(':', 1)[0] ?? '') : hop;
}

function keyOf(address: string): string {
  if (!address.includes(':')) return address === '' ? 'unknown' : address;
  return `${prefixOf(address)}/64`;
}

/** The first groups of an IPv6 address, written in one way. */
function prefixOf(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::', 2);
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':');
    // A dotted end stands for two groups.
    const afterGroups = after.length + (tail.includes('.') ? 1 : 0);
    while (groups.length + afterGroups < 8) groups.push('0');
    groups.push(...after);
  }
  return groups
    .slice(0, IPV6_CLIENT_GROUPS)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
