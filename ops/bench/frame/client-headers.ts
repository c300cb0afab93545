/** Clients whose requests reach the service through trusted proxies. Equal numbers are the same client. */
export interface Clients {
  /** How many there are: each sends one request per turn, and every turn has another random order. Null: each request is from a new one. */
  readonly count: number | null;
  /** The number of the first; 0 by default. */
  readonly first?: number;
  /** By default 4. In 6, a client is a /64 and each request has another address of it. */
  readonly family?: 4 | 6;
  /** How many trusted proxies forward a request; 1 by default. */
  readonly proxies?: 1 | 2;
}

/** `TRUSTED_PROXIES` of a service that takes requests of such clients from this machine. */
export const TRUSTED_PROXIES = '127.0.0.0/8';

const SECOND_PROXY = '127.0.0.2';

/** IPv4 addresses from 1.0.0.0 on, below the one of this machine. */
const ADDRESSES = 126 * 2 ** 24;

/** Coprime to the number of addresses: numbers below fifty million have different ones, which lie scattered. */
const SCATTER = 179_424_673;

/** Creates the function that returns the X-Forwarded-For line of the next request. */
export function createClientHeaders({ count, first = 0, family = 4, proxies = 1 }: Clients): () => string {
  const next = count === null ? inOrder(first) : inTurns(first, count);
  const address = family === 6 ? addressIn64 : addressOf;
  const end = proxies === 2 ? `, ${SECOND_PROXY}\r\n` : '\r\n';
  return () => `X-Forwarded-For: ${address(next())}${end}`;
}

function inOrder(first: number): () => number {
  let next = first;
  return () => next++;
}

/** Shuffles as it goes (Fisher-Yates), so that no turn begins with a pause. */
function inTurns(first: number, count: number): () => number {
  const numbers = Uint32Array.from({ length: count }, (_, index) => first + index);
  let at = 0;
  return () => {
    const other = at + Math.floor(Math.random() * (count - at));
    const number = numbers[other]!;
    numbers[other] = numbers[at]!;
    numbers[at] = number;
    at = (at + 1) % count;
    return number;
  };
}

function addressOf(number: number): string {
  const bits = (number * SCATTER) % ADDRESSES;
  return `${1 + Math.floor(bits / 2 ** 24)}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}`;
}

/** A random address in a /64; 256 of these are in a /48. */
function addressIn64(number: number): string {
  const bits = ((number >>> 8) * SCATTER) % ADDRESSES;
  const subnet = number & 255;
  return `2a00:${hex(bits >>> 16)}:${hex(bits)}:${hex(subnet)}:${randomHex()}:${randomHex()}:${randomHex()}:${randomHex()}`;
}

const hex = (bits: number): string => (bits & 0xffff).toString(16);
const randomHex = (): string => hex(Math.random() * 0x1_0000);
