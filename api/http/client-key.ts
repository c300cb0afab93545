import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { TrustedProxy } from '../../config/trusted-proxy.ts';
import { addressKey, createTrust, plainAddress } from '../../ops/runtime/connections/index.ts';

/** Hops of X-Forwarded-For that are read, from the right, and the characters that this many hops may take. */
const MAX_HOPS = 16;
const MAX_HOPS_LENGTH = 1_024;

/** Returns the client of a request: the text by which its requests are counted. */
export type ClientKey = (remoteAddress: string | undefined, forwardedFor: string | undefined) => string;

/**
 * Creates the function that identifies a request's client: the peer or, while the peer is a trusted proxy, the address that it
 * forwards for. Only what trusted hops wrote is used, so the header is read from the right.
 */
export function createClientKey(trustedProxies: readonly TrustedProxy[]): ClientKey {
  if (trustedProxies.length === 0) return (remoteAddress) => addressKey(plainAddress(remoteAddress ?? ''));
  const isTrusted = createTrust(trustedProxies);
  return (remoteAddress, forwardedFor = '') => {
    let address = plainAddress(remoteAddress ?? '');
    const from = Math.max(0, forwardedFor.length - MAX_HOPS_LENGTH);
    let end = forwardedFor.length;
    for (let hops = 0; hops < MAX_HOPS && end >= from && isTrusted(address); hops++) {
      const start = end === 0 ? 0 : Math.max(from, forwardedFor.lastIndexOf(',', end - 1) + 1);
      const hop = forwardedFor.slice(start, end).trim();
      const isPlain = isIP(hop) !== 0;
      const next = plainAddress(isPlain ? hop : withoutPort(hop));
      if (!isPlain && isIP(next) === 0) break;
      address = next;
      end = start - 1;
    }
    return addressKey(address);
  };
}

/** The client of a request. Several X-Forwarded-For lines are one list. */
export function clientOf({ socket, headers }: IncomingMessage, clientKey: ClientKey): string {
  const forwarded = headers['x-forwarded-for'];
  return clientKey(socket.remoteAddress, typeof forwarded === 'string' ? forwarded : forwarded?.join(','));
}

/** Some proxies write `192.0.2.1:1234` or `[2001:db8::1]:1234`. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(hop);
  if (bracketed !== null) return bracketed[1] ?? '';
  return /^[\d.]+:\d+$/.test(hop) ? (hop.split(':', 1)[0] ?? '') : hop;
}
