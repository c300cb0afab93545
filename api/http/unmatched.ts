import type { Exchange, Outcome } from './exchange.ts';
import { isForAnyPage, rateLimited } from './execute-route.ts';
import type { ResultExchange } from './finish-result.ts';
import type { Hosts } from './hosts.ts';
import type { HttpContext } from './http-context.ts';
import { Problem, problemOutcome } from './problem.ts';
import type { RateDecision } from './rate-limit/rate-limiter.ts';
import type { RatePolicyName } from './rate-limit/rate-policy.ts';
import type { RoutesAtPath, RouteTable } from './route-table.ts';
import { addSecurityHeaders, CONTENT_SIGNAL, CORS_HEADERS, preflightHeaders } from './standard-headers.ts';

/** A path of segments that are not empty, with a trailing slash. */
const SLASHED_PATH = /^(?:\/[^/\\]+)+\/$/;

type RequestTarget = Readonly<Record<'method' | 'host' | 'path' | 'search', string>>;

/** The policy under which a request counts that no route matches: that of the API below its base, else that of pages. */
function policyAt(
  target: Pick<RequestTarget, 'host' | 'path'>,
  { pathBelow }: Pick<Hosts, 'pathBelow'>,
): RatePolicyName {
  return pathBelow('base', target) === null ? 'pages' : 'public';
}

/** The page to which a path redirects; null for most paths. `routes`: those that are there. */
function redirectAt(
  table: RouteTable<never>,
  { method, host, path, search }: RequestTarget,
  routes: RoutesAtPath<never>,
): string | null {
  if (routes.size > 0 || !path.endsWith('/') || (method !== 'GET' && method !== 'HEAD')) return null;
  // The redirect is to a page on this host, so it cannot lead to another: no page's path has an empty segment.
  const page = SLASHED_PATH.test(path) ? path.slice(0, -1) : null;
  return page !== null && table.at(host, page).get('GET')?.page === true ? `${page}${search}` : null;
}

/** Responds to a request that no route matches: a preflight, an unsupported method, or an unknown path. */
export function respondUnmatched(
  exchange: Exchange,
  target: RequestTarget,
  table: RouteTable<never>,
  ctx: HttpContext,
): Outcome {
  const routes = table.at(target.host, target.path);
  const rate = ctx.limiter.take(policyAt(target, ctx.hosts), exchange.client);
  return finishUnmatched(exchange, routes, ctx, rate, redirectAt(table, target, routes));
}

/** The response to a request that no route matches, which was counted. `routes`: those at its path. */
function finishUnmatched(
  exchange: ResultExchange,
  routes: RoutesAtPath<never>,
  ctx: HttpContext,
  rate: RateDecision,
  redirectTo: string | null,
): Outcome {
  const forAnyPage = [...routes.values()].some(isForAnyPage);
  const outcome = rate.allowed ? answer() : finishUnlisted(rateLimited(rate), exchange, ctx);
  addSecurityHeaders(outcome.headers);
  Object.assign(outcome.headers, rate.headers);
  outcome.headers['Content-Signal'] = CONTENT_SIGNAL;
  if (forAnyPage) Object.assign(outcome.headers, CORS_HEADERS);
  return outcome;

  function answer(): Outcome {
    if (redirectTo !== null) return redirect(redirectTo);
    if (routes.size === 0) return notFound(exchange, ctx);
    const Allow = [...routes.keys(), 'OPTIONS'].join(', ');
    if (exchange.method === 'OPTIONS') {
      const headers = { Allow, ...(forAnyPage ? preflightHeaders(Allow) : {}) };
      return { status: 204, headers, body: null, code: null };
    }
    return finishUnlisted(new Problem('method_not_allowed', { headers: { Allow } }), exchange, ctx);
  }
}

/** Each page has one address; the form with a trailing slash redirects to it. */
function redirect(location: string): Outcome {
  const headers = { Location: location, 'Content-Length': '0', 'Cache-Control': `public, max-age=${REDIRECT_MAX_AGE}` };
  return { status: 308, headers, body: Buffer.alloc(0), code: null };
}

/** Seconds for which a browser may cache the redirect. */
const REDIRECT_MAX_AGE = 3_600;

/** A 404 with links to existing resources. */
function notFound(exchange: ResultExchange, ctx: HttpContext): Outcome {
  const { siteUrl, baseUrl } = ctx.config;
  const links = {
    sitemap: `${siteUrl}/sitemap.xml`,
    llms: `${siteUrl}/llms.txt`,
    developers: `${siteUrl}/developers`,
    description: `${siteUrl}/openapi.json`,
    leaderboard: `${baseUrl}/leaderboard`,
  };
  const Link = Object.values(links)
    .map((href) => `<${href}>; rel="related"`)
    .join(', ');
  const occurrence = { detail: 'No resource exists at this address.', links, headers: { Link } };
  return finishUnlisted(new Problem('path_unknown', occurrence), exchange, ctx);
}

/** The response to a problem outside of the routes: problem+json by default, a page when Accept prefers one. */
export function finishUnlisted(
  problem: Problem,
  exchange: ResultExchange,
  { config, problemPages }: HttpContext,
): Outcome {
  const outcome = problemPages(problem, problemOutcome(problem, exchange, config.siteUrl), exchange, 'problem');
  addSecurityHeaders(outcome.headers);
  return outcome;
}
