import type { Context, Middleware } from 'koa';
import { LIMITS } from '../../config/limits.ts';
import { secondsText } from '../../config/units.ts';
import type { Outcome } from '../http/exchange.ts';
import { rateLimited } from '../http/execute-route.ts';
import { ANSWERED_BY, send } from '../http/koa-adapter.ts';
import { negotiate } from '../http/negotiate.ts';
import { PROBLEM_FORMS } from '../http/page-forms.ts';
import { Problem } from '../http/problem.ts';
import type { RateDecision } from '../http/rate-limit/rate-limiter.ts';
import { JSON_TYPE } from '../http/representation.ts';
import { errorPage } from './authorization-server/device-pages.ts';
import { prepareRequest } from './authorization-server/prepare-request.ts';
import { errors } from './authorization-server/provider.ts';
import { OPENID_CONFIGURATION_PATH, ROUTES, SERVER_METADATA_PATH } from './authorization-server/routes.ts';
import { stepInteraction } from './finish-interaction.ts';
import { pageHeaders } from './page.ts';
import type { SignInContext } from './sign-in/context.ts';
import type { SignInQuota } from './sign-in/limits.ts';

/** One endpoint of the authorization server. */
interface Endpoint {
  readonly name: string;
  readonly quota: SignInQuota;
  /** Whether its responses are pages for browsers. */
  readonly page: boolean;
  /** A published document: its errors are problems. Those of other endpoints have OAuth's own form. */
  readonly document?: true;
}

const AUTHORIZE: Endpoint = { name: 'authorize', quota: 'pages', page: true };
const DEVICE: Endpoint = { name: 'device', quota: 'pages', page: true };

const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map([
  [OPENID_CONFIGURATION_PATH, { name: 'openidConfiguration', quota: 'pages', page: false, document: true }],
  [SERVER_METADATA_PATH, { name: 'serverMetadata', quota: 'pages', page: false, document: true }],
  [ROUTES.authorization, AUTHORIZE],
  [ROUTES.token, { name: 'token', quota: 'token', page: false }],
  [ROUTES.revocation, { name: 'revoke', quota: 'token', page: false }],
  [ROUTES.device_authorization, { name: 'deviceAuthorization', quota: 'token', page: false }],
  [ROUTES.registration, { name: 'registerClient', quota: 'registration', page: false }],
  [ROUTES.code_verification, DEVICE],
]);

/** Paths at which a request continues after sign-in: `{endpoint}/{uid}`. */
const RESUME_ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map([
  [ROUTES.authorization, AUTHORIZE],
  [ROUTES.code_verification, DEVICE],
  [ROUTES.interaction, { name: 'interaction', quota: 'pages', page: true }],
]);

/** The paths of the authorization server. */
export function serveAuthorizationServer(context: SignInContext): Middleware {
  /** Serves them, and passes every other request on. */
  return async (ctx, next) => {
    const found = endpointOf(ctx, context);
    if (found === null) return next();
    const { path, endpoint, quota } = found;
    ctx.state[ANSWERED_BY] = endpoint.name;
    const client = context.clientOf(ctx);
    const rate = context.limits.take(quota, client);
    ctx.set(headersOf(endpoint, rate, context));
    if (endpoint.document === true) requireRead(ctx, rate);
    if (!rate.allowed) return send(ctx, endpoint.name, slowDown(endpoint, rate, ctx.req.headers.accept, context));
    if (path === ROUTES.registration && refusesBody(ctx)) return;
    if (path.startsWith(`${ROUTES.interaction}/`)) return continueInteraction(ctx, path, context, client);
    await passToProvider(ctx, path, context, client);
  };
}

/** The endpoint that serves a request, its quota, and its path below the address of the authorization server. */
function endpointOf(target: Pick<Context, 'host' | 'path' | 'method'>, { pathBelow }: SignInContext) {
  // The login host serves the same RFC 8414 document as the authorization server.
  const metadata = () => (pathBelow('login', target) === SERVER_METADATA_PATH ? SERVER_METADATA_PATH : null);
  const path = pathBelow('auth', target) ?? metadata();
  const endpoint = path === null ? null : endpointAt(path);
  if (path === null || endpoint === null) return null;
  const isDeviceCode = path === ROUTES.code_verification && target.method === 'POST';
  const quota: SignInQuota = isDeviceCode ? 'device' : endpoint.quota;
  return { path, endpoint, quota };
}

function headersOf(endpoint: Endpoint, rate: RateDecision, context: SignInContext): Record<string, string> {
  return { ...rate.headers, ...(endpoint.page ? pageHeadersFor(endpoint, context) : API_HEADERS) };
}

/** @throws Problem rate_limited, method_not_allowed. */
function requireRead({ method }: Context, rate: { readonly allowed: boolean; readonly resetSeconds: number }): void {
  if (!rate.allowed) throw rateLimited(rate);
  if (!READS.has(method)) throw new Problem('method_not_allowed', { headers: { Allow: [...READS].join(', ') } });
}

const READS: ReadonlySet<string> = new Set(['HEAD', 'GET', 'OPTIONS']);

const API_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

function endpointAt(path: string): Endpoint | null {
  const exact = ENDPOINTS.get(path);
  if (exact !== undefined) return exact;
  const at = path.lastIndexOf('/');
  const resumed = RESUME_ENDPOINTS.get(path.slice(0, at));
  return resumed !== undefined && /^[A-Za-z0-9_-]{10,64}$/.test(path.slice(at + 1)) ? resumed : null;
}

/** Form targets for `response_mode=form_post`: redirect URIs are checked at registration. */
const CLIENT_TARGETS = ['https:', 'http://127.0.0.1:*', 'http://localhost:*', 'http://[::1]:*'];

function pageHeadersFor(endpoint: Endpoint, { loginUrl }: SignInContext): Record<string, string> {
  // With response_mode=form_post the response is a page that submits a form: the provider adds its script's hash to the policy.
  if (endpoint === AUTHORIZE) return pageHeaders(CLIENT_TARGETS, "'none'");
  return pageHeaders([new URL(loginUrl).origin]);
}

/** Passes the request to the provider, which writes to the Node response. */
async function passToProvider(ctx: Context, path: string, context: SignInContext, client: string): Promise<void> {
  const provider = await context.currentProvider();
  const { url } = ctx.req;
  prepareRequest(ctx.req, context.authUrl, { path, search: ctx.querystring, client });
  ctx.respond = false;
  ctx.res.statusCode = 404;
  try {
    await provider.callback()(ctx.req, ctx.res);
  } finally {
    if (url !== undefined) ctx.req.url = url;
  }
}

/** The interaction URL: redirects to the login host first, and continues when the browser returns with a ticket. */
async function continueInteraction(ctx: Context, path: string, context: SignInContext, client: string): Promise<void> {
  const { authUrl, loginUrl, accounts } = context;
  const ticket = new URLSearchParams(ctx.querystring).get('ticket');
  if (ctx.method !== 'GET') {
    if (ticket !== null) await accounts.oneTime.consume('ticket', ticket);
    throw new Problem('method_not_allowed', { headers: { Allow: 'GET' } });
  }
  prepareRequest(ctx.req, authUrl, { path, search: '', client });
  try {
    ctx.set('Location', await stepInteraction(ctx, ticket, context));
    ctx.status = 303;
    ctx.body = '';
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error;
    ctx.status = 400;
    const error_description = 'This sign-in was started in another browser, or it has expired.';
    ctx.type = 'html';
    ctx.body = errorPage({ error: error.error, error_description }, loginUrl);
  }
}

/** Refuses a body whose declared length is above the limit. A chunked body declares none. */
function refusesBody(ctx: Context): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length = 0 } = ctx.req.headers;
  const maxBytes = LIMITS.http.registrationBytes;
  if (encoding === undefined && Number(length) <= maxBytes) return false;
  ctx.status = encoding === undefined ? 413 : 411;
  ctx.set('Cache-Control', 'no-store');
  const error_description = `A registration needs a Content-Length of at most ${maxBytes} bytes.`;
  ctx.body = { error: 'invalid_client_metadata', error_description };
  return true;
}

/** The response to a request over its quota, in OAuth's own form or as a page. */
function slowDown(endpoint: Endpoint, rate: RateDecision, accept: string | undefined, context: SignInContext): Outcome {
  const refusal = {
    error: 'slow_down',
    error_description: `You have made too many requests. Try again in ${secondsText(rate.resetSeconds)}.`,
  };
  const isPage = endpoint.page && negotiate(accept, PROBLEM_FORMS.problem) === 'html';
  const body = Buffer.from(isPage ? errorPage(refusal, context.loginUrl) : JSON.stringify(refusal));
  const headers = {
    ...headersOf(endpoint, rate, context),
    'Retry-After': String(rate.resetSeconds),
    'Cache-Control': 'no-store',
    'Content-Type': isPage ? 'text/html; charset=utf-8' : JSON_TYPE,
    'Content-Length': String(body.length),
  };
  return { status: 429, headers, body, code: null };
}
