import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { layOutSnapshot, signSnapshot } from '../../../cli/src/signing/sign-snapshot.ts';

/** A request without a body that clients repeat. */
export interface ReadRequest {
  /** `CLIENT` in it is the number of the client. */
  readonly path: string;
  /** GET by default. */
  readonly method?: string;
  /** Cycles through `count` clients from number `first` on, behind a trusted proxy; by default the requests come directly from here. */
  readonly clients?: { readonly count: number; readonly first: number };
}

/** An operator who can submit. */
export interface Submitter {
  readonly codename: string;
  readonly token: string;
  readonly kid: string;
  /** The private key of its device. */
  readonly key: JsonWebKey;
}

/** IPv4 addresses from 1.0.0.0 on, below the one of this machine. */
const ADDRESSES = 126 * 2 ** 24;

/** Coprime to the number of addresses: numbers below fifty million have different ones, which lie scattered. */
const SCATTER = 179_424_673;

/** The X-Forwarded-For line of a client; equal numbers are the same client. */
function forwardedFor(client: number): string {
  const bits = (client * SCATTER) % ADDRESSES;
  const address = [1 + Math.floor(bits / 2 ** 24), (bits >>> 16) & 255, (bits >>> 8) & 255, bits & 255].join('.');
  return `X-Forwarded-For: ${address}\r\n`;
}

/** The text of a request; `client` is the number of its client, null for this machine. */
export function readText(port: number, { path, method = 'GET' }: ReadRequest, client: number | null = null): string {
  return `${method} ${path.replace('CLIENT', String(client))} HTTP/1.1\r\nHost: localhost:${port}\r\n${client === null ? '' : forwardedFor(client)}\r\n`;
}

/** Creates the function that returns a signed submission of an operator, with higher counts than each one before it. */
export function createSubmissions(port: number): (submitter: Submitter) => string {
  const keys = new Map<string, KeyObject>();
  let made = 0;
  return ({ codename, token, kid, key: jwk }) => {
    const key = keys.get(kid) ?? createPrivateKey({ key: jwk, format: 'jwk' });
    keys.set(kid, key);
    made += 1;
    const layout = layOutSnapshot({
      codename,
      platform: 'claude-code',
      totals: {
        input: 100_000 + (made % 13),
        output: 600_000 + made * 3,
        cache_read: 10_000_000 + made,
        cache_write: 600_000 + made,
      },
      counting: 'exact',
      kid,
      stream: kid,
      epoch: 0,
      now: Date.now(),
    });
    const body = signSnapshot(layout, key);
    return (
      `POST /api/v1/snapshots HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${token}\r\n` +
      `User-Agent: upsilon-bench\r\nAccept: application/json\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    );
  };
}
