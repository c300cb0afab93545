import type { IncomingMessage } from 'node:http';

/** Maximum header lines of a request for the fast path; requests with more go to Koa. */
const MAX_LINES = 32;

/** The request headers that select the response, and the token. */
export interface CacheHeaders {
  readonly host: string | undefined;
  readonly accept: string | undefined;
  readonly authorization: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly forwardedFor: string | undefined;
}

/**
 * Reads the headers from raw ones, which alternate names and values. Null when one of them occurs twice, or when there are
 * more than `MAX_LINES`. Only names of the right length are compared: most requests have a dozen other headers.
 */
export function readCacheHeaders(raw: readonly string[]): CacheHeaders | null {
  if (raw.length > MAX_LINES * 2) return null;
  let host: string | undefined;
  let accept: string | undefined;
  let authorization: string | undefined;
  let acceptEncoding: string | undefined;
  let ifNoneMatch: string | undefined;
  let forwardedFor: string | undefined;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!;
    const value = raw[index + 1]!;
    if (name.length === 4) {
      if (!isNamed(name, 'host')) continue;
      if (host !== undefined) return null;
      host = value;
    } else if (name.length === 6) {
      if (!isNamed(name, 'accept')) continue;
      if (accept !== undefined) return null;
      accept = value;
    } else if (name.length === 13 && isNamed(name, 'if-none-match')) {
      if (ifNoneMatch !== undefined) return null;
      ifNoneMatch = value;
    } else if (name.length === 13 && isNamed(name, 'authorization')) {
      if (authorization !== undefined) return null;
      authorization = value;
    } else if (name.length === 15 && isNamed(name, 'accept-encoding')) {
      if (acceptEncoding !== undefined) return null;
      acceptEncoding = value;
    } else if (name.length === 15 && isNamed(name, 'x-forwarded-for')) {
      if (forwardedFor !== undefined) return null;
      forwardedFor = value;
    }
  }
  return { host, accept, authorization, acceptEncoding, ifNoneMatch, forwardedFor };
}

function isNamed(name: string, wanted: string): boolean {
  return name === wanted || name.toLowerCase() === wanted;
}

/** The same headers, read by Node: of all requests, and in several times as long. */
export function readHeaders({ headers }: IncomingMessage): CacheHeaders {
  const { host, accept, authorization, 'accept-encoding': acceptEncoding, ...others } = headers;
  const forwarded = others['x-forwarded-for'];
  return {
    host,
    accept,
    authorization,
    acceptEncoding,
    ifNoneMatch: others['if-none-match'],
    forwardedFor: typeof forwarded === 'string' ? forwarded : forwarded?.join(','),
  };
}
