import type { Exchange, Outcome } from './exchange.ts';
import { rateLimited } from './execute-route.ts';
import { negotiate } from './negotiate.ts';
import { PAGE_MEDIA_TYPES, type PageForm, pageAsHtml, pageAsMarkdown } from './page.ts';
import { Problem } from './problem.ts';
import { problemOutcome } from './problem-outcome.ts';
import type { RateLimiter } from './rate-limit/rate-limiter.ts';
import { PREFLIGHT_HEADERS, PUBLIC_CORS_HEADERS, SECURITY_HEADERS } from './standard-headers.ts';

/** What answers to requests that no route takes need. */
export interface UnmatchedEnvironment {
  readonly siteUrl: string;
  readonly limiter: RateLimiter;
  /** Where to go from an address that does not exist, by what is there. */
  readonly recoveryLinks: Readonly<Record<string, string>>;
}

/** What there is at a path, when the method did not fit. */
export interface PathMethods {
  /** Upper case, with HEAD and OPTIONS. Empty when there is nothing at the path. */
  readonly allowed: readonly string[];
  readonly publicRead: boolean;
}

const FORMS: readonly (readonly [PageForm, string])[] = [
  ['json', 'application/problem+json'],
  ['json', 'application/json'],
  ['markdown', 'text/markdown'],
  ['html', 'text/html'],
];

/** Answers a request that no route takes: a preflight, a method that is not there, or a path that is not. */
export function answerUnmatched(
  exchange: Exchange,
  { allowed, publicRead }: PathMethods,
  environment: UnmatchedEnvironment,
): Outcome {
  const rate = environment.limiter.take('public', exchange.client);
  const outcome = rate.allowed ? answer() : problemOutcome(rateLimited(rate), exchange, environment.siteUrl);
  Object.assign(outcome.headers, SECURITY_HEADERS, rate.headers);
  if (publicRead && outcome.status !== 204) Object.assign(outcome.headers, PUBLIC_CORS_HEADERS);
  return outcome;

  function answer(): Outcome {
    if (allowed.length === 0) return notFound(exchange, environment);
    const headers = { Allow: allowed.join(', ') };
    if (exchange.method === 'OPTIONS') {
      return { status: 204, headers: { ...headers, ...(publicRead ? PREFLIGHT_HEADERS : {}) }, body: null, code: null };
    }
    return problemOutcome(new Problem('method_not_allowed', { headers }), exchange, environment.siteUrl);
  }
}

/** A real 404 with ways to go on: a problem by default, a page for those who ask for one. */
function notFound(exchange: Exchange, { siteUrl, recoveryLinks: links }: UnmatchedEnvironment): Outcome {
  const headers = {
    Link: Object.values(links)
      .map((href) => `<${href}>; rel="related"`)
      .join(', '),
    Vary: 'Accept',
  };
  const detail = 'No resource has this address.';
  const form = negotiate(exchange.header('accept'), FORMS) ?? 'json';
  const outcome = problemOutcome(new Problem('path_unknown', { detail, links, headers }), exchange, siteUrl);
  if (form === 'json') return outcome;
  const page = { title: 'Not found', paragraphs: [detail], facts: [], links: Object.entries(links) };
  const bytes = Buffer.from(form === 'html' ? pageAsHtml(page) : pageAsMarkdown(page), 'utf8');
  outcome.headers['Content-Type'] = PAGE_MEDIA_TYPES[form];
  outcome.headers['Content-Length'] = String(bytes.length);
  return { ...outcome, body: exchange.method === 'HEAD' ? null : bytes };
}
