import type { Context } from 'koa';
import { problemOrPage } from './error-forms.ts';
import type { Exchange, Outcome } from './exchange.ts';
import { addRouteHeaders, isForAnyPage, rateLimited } from './execute-route.ts';
import type { HttpContext } from './http-context.ts';
import { Problem } from './problem.ts';
import type { RateDecision } from './rate-limit/rate-limiter.ts';
import type { Route } from './route.ts';
import { addSecurityHeaders, CONTENT_SIGNAL, CORS_HEADERS, preflightHeaders } from './standard-headers.ts';

/** The routes at a path with the methods that each takes, in the order of the Allow header. */
export type RoutesAtPath = readonly { readonly route: Route<never>; readonly methods: readonly string[] }[];

/** Responds to a preflight, an unsupported method or an unknown path, in the error form of the path. */
export function respondUnmatched(exchange: Exchange, there: RoutesAtPath, ctx: HttpContext): Outcome {
  const isOfApi = ctx.hosts.pathBelow('base', exchange.koa) !== null;
  const rate = ctx.limiter.take(isOfApi ? 'public' : 'pages', exchange.client);
  const answer = rate.allowed ? answerTo(exchange, there, ctx) : rateLimited(rate);
  const form = there[0]?.route.errors ?? problemOrPage;
  const outcome = answer instanceof Problem ? form(answer, exchange, ctx) : answer;
  for (const { route } of there) {
    addRouteHeaders(outcome.headers, route);
    if (isForAnyPage(route)) Object.assign(outcome.headers, CORS_HEADERS);
  }
  return finish(outcome, rate);
}

function answerTo({ method, koa }: Exchange, there: RoutesAtPath, ctx: HttpContext): Outcome | Problem {
  if (there.length === 0) return pathUnknown(ctx, koa.host);
  const Allow = [...new Set([...there.flatMap(({ methods }) => methods), 'OPTIONS'])].join(', ');
  if (method !== 'OPTIONS') return new Problem('method_not_allowed', { headers: { Allow } });
  const open = there.find(({ route }) => isForAnyPage(route) || route.preflight !== undefined);
  const headers = { Allow, ...(open === undefined ? {} : preflightHeaders(Allow, open.route.preflight)) };
  return { status: 204, headers, body: null, code: null };
}

/** Each page has one address; the form with a trailing slash redirects to it. */
export function redirectToPage({ path, search }: Context, exchange: Exchange, ctx: HttpContext): Outcome {
  const rate = ctx.limiter.take('pages', exchange.client);
  if (!rate.allowed) return finish(problemOrPage(rateLimited(rate), exchange, ctx), rate);
  const headers = {
    Location: `${path.slice(0, -1)}${search}`,
    'Content-Length': '0',
    'Cache-Control': `public, max-age=${REDIRECT_MAX_AGE}`,
  };
  return finish({ status: 308, headers, body: '', code: null }, rate);
}

/** Seconds for which a browser may cache the redirect. */
const REDIRECT_MAX_AGE = 3_600;

/** Adds the headers of every response that no route gives. */
function finish(outcome: Outcome, rate: RateDecision): Outcome {
  addSecurityHeaders(outcome.headers);
  Object.assign(outcome.headers, rate.headers, { 'Content-Signal': CONTENT_SIGNAL });
  return outcome;
}

/**
 * What to say of a Host header that no surface has, where each has its own; null for a known one. A proxy that sends the upstream's name
 * makes every address unknown.
 */
function unknownHost({ hosts: { known }, log }: HttpContext, host: string): string | null {
  if (known.length === 1 || known.includes(host.toLowerCase())) return null;
  const shown = /^[\w.:[\]-]{1,100}$/.test(host) ? `"${host}"` : 'of this request';
  const err = new Error('requests name a host that is none of this service');
  log.warn({ err, host: shown, known }, 'a proxy in front must pass the Host header on unchanged');
  return `The host ${shown} is none of this service, whose hosts are ${known.join(', ')}: a proxy in front must pass the Host header on unchanged.`;
}

/** A 404 with links to existing resources. */
function pathUnknown(ctx: HttpContext, host: string): Problem {
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
  return new Problem('path_unknown', {
    detail: unknownHost(ctx, host) ?? 'No resource exists at this address.',
    links,
    headers: { Link },
  });
}
