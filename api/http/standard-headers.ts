import type { CachePolicy, Deprecation } from './route.ts';

const EXPOSED = [
  'ETag',
  'Link',
  'Location',
  'WWW-Authenticate',
  'Preference-Applied',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Deprecation',
  'Sunset',
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'X-PAYMENT-RESPONSE',
  'Answer-Receipt',
  'Board-Version',
].join(', ');

/** Seconds a browser may remember a preflight. */
const PREFLIGHT_MAX_AGE = 86_400;

/** Headers of every response that sets none: data, which runs nothing, loads nothing and is not framed. */
const SECURITY_HEADERS = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'Referrer-Policy': 'no-referrer',
});

/** What the website's answers may be used for: found, and read as input with a reference to them; not for training. */
export const CONTENT_SIGNAL = 'search=yes, ai-input=yes, ai-train=no, use=reference';

/** Adds the security headers; a page brings a policy of its own, for what it shows. */
export function addSecurityHeaders(headers: Record<string, string>): void {
  for (const [name, value] of SECURITY_HEADERS) headers[name] ??= value;
}

/** Pages of any origin may read the response. Requests carry no cookies: browsers send none with `*`. */
export const CORS_HEADERS: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED,
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** Request headers that pages of any origin may send. Clients of x402 also send a header that belongs into answers. */
const REQUEST_HEADERS =
  'Accept, Accept-Encoding, Authorization, Content-Type, If-None-Match, Last-Event-ID, Prefer, PAYMENT-SIGNATURE, X-PAYMENT, Answer-Receipt, Answer-Claim, Access-Control-Expose-Headers';

/** The answer to a preflight, besides `CORS_HEADERS`. */
export function preflightHeaders(methods: string, requestHeaders: string = REQUEST_HEADERS): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': requestHeaders,
    'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE),
  };
}

/** Public ranking data: a board changes about once a second, and a delay of some seconds is acceptable. */
export const RANKING_CACHE: CachePolicy = { maxAge: 5, sharedMaxAge: 10, staleWhileRevalidate: 30 };

/** What public reads of boards have in common. */
export const BOARD_READ = {
  method: 'get',
  surface: 'base',
  auth: 'public',
  selects: true,
  limit: 'public',
  cache: RANKING_CACHE,
} as const;

/** Documents that change with a release or a key rotation. */
export const DOCUMENT_CACHE: CachePolicy = { maxAge: 300, sharedMaxAge: 300, staleWhileRevalidate: 600 };

/** Whether and how long an answer may be kept. */
export function cacheControl(policy: CachePolicy | undefined): string {
  if (policy === undefined) return 'no-store';
  const { maxAge, sharedMaxAge, staleWhileRevalidate } = policy;
  return `public, max-age=${maxAge}, s-maxage=${sharedMaxAge}, stale-while-revalidate=${staleWhileRevalidate}`;
}

/** Contract, part 9: what a retired operation reports in every response. */
export function deprecationHeaders(deprecation: Deprecation | undefined): Record<string, string> {
  if (deprecation === undefined) return {};
  const { sunset, link } = deprecation;
  return { Deprecation: 'true', Sunset: sunset.toUTCString(), Link: `<${link.href}>; rel="${link.rel}"` };
}
