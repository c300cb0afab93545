import type { Context } from 'koa';
import { LIMITS } from '../../config/limits.ts';
import { problemOrPage } from '../http/error-forms.ts';
import type { HttpContext } from '../http/http-context.ts';
import { Problem } from '../http/problem.ts';
import { type Route, routesFor, WRITTEN, WRITTEN_ROUTE } from '../http/route.ts';
import { errorPage } from './authorization-server/device-pages.ts';
import { oauthError, oauthErrorOrPage } from './authorization-server/oauth-errors.ts';
import { prepareRequest } from './authorization-server/prepare-request.ts';
import { errors } from './authorization-server/provider.ts';
import { OPENID_CONFIGURATION_PATH, ROUTES, SERVER_METADATA_PATH } from './authorization-server/routes.ts';
import { stepInteraction } from './finish-interaction.ts';
import { pageHeaders } from './page.ts';
import type { SignInContext } from './sign-in/context.ts';

const defineRoute = routesFor<HttpContext>();

/** What distinguishes an endpoint; without `handle`, the provider responds. */
type Endpoint = Pick<Route<HttpContext>, 'method' | 'path' | 'operationId' | 'limit' | 'errors' | 'headers'> &
  Partial<Pick<Route<HttpContext>, 'surface' | 'alsoMethods' | 'exists' | 'problems'>> & {
    readonly handle?: (koa: Context, client: string) => Promise<void>;
  };

/** Headers of responses that are no pages. */
const API_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

/** Form targets for `response_mode=form_post`: redirect URIs are checked at registration. */
const CLIENT_TARGETS = ['https:', 'http://127.0.0.1:*', 'http://localhost:*', 'http://[::1]:*'];

/** A published document. The provider answers its preflight. */
const DOCUMENT = {
  method: 'get',
  alsoMethods: ['options'],
  limit: 'signInPages',
  errors: problemOrPage,
  headers: API_HEADERS,
} as const;

/** An endpoint for clients, of any origin: the provider answers its preflight. */
const FOR_CLIENTS = {
  method: 'post',
  alsoMethods: ['options'],
  limit: 'token',
  errors: oauthError,
  headers: API_HEADERS,
} as const;

/** The endpoints of the authorization server. Their paths are below `auth_url`; the login host serves the same RFC 8414 document. */
export function authorizationRoutes(context: SignInContext): readonly Route<HttpContext>[] {
  const { loginUrl } = context;
  const page = { method: 'get', limit: 'signInPages', errors: oauthErrorOrPage } as const;
  // With response_mode=form_post the response is a page that submits a form: the provider adds its script's hash to the policy.
  const authorize = { ...page, headers: pageHeaders(CLIENT_TARGETS, "'none'") };
  const own = { ...page, headers: pageHeaders([new URL(loginUrl).origin]) };
  const device = { ...own, path: ROUTES.code_verification };
  const metadata = { ...DOCUMENT, path: SERVER_METADATA_PATH };
  const endpoints: readonly Endpoint[] = [
    { ...DOCUMENT, path: OPENID_CONFIGURATION_PATH, operationId: 'openidConfiguration' },
    { ...metadata, operationId: 'serverMetadata' },
    { ...metadata, surface: 'login', operationId: 'serverMetadataOfLogin' },
    { ...authorize, path: ROUTES.authorization, operationId: 'authorize' },
    { ...authorize, ...resumed(ROUTES.authorization), operationId: 'resumeAuthorization' },
    { ...FOR_CLIENTS, path: ROUTES.token, operationId: 'token' },
    { ...FOR_CLIENTS, path: ROUTES.revocation, operationId: 'revoke' },
    { ...FOR_CLIENTS, path: ROUTES.device_authorization, operationId: 'deviceAuthorization' },
    {
      ...FOR_CLIENTS,
      path: ROUTES.registration,
      operationId: 'registerClient',
      alsoMethods: [],
      limit: 'registration',
      handle: async (koa, client) => {
        if (!refusesBody(koa)) await passToProvider(koa, context, client);
      },
    },
    { ...device, operationId: 'device' },
    { ...device, method: 'post', operationId: 'enterDeviceCode', limit: 'device' },
    { ...own, ...resumed(ROUTES.code_verification), operationId: 'resumeDevice' },
    {
      ...own,
      ...resumed(ROUTES.interaction),
      operationId: 'interaction',
      alsoMethods: 'all',
      errors: problemOrPage,
      problems: ['method_not_allowed'],
      handle: (koa, client) => continueInteraction(koa, context, client),
    },
  ];
  return endpoints.map(({ handle = (koa, client) => passToProvider(koa, context, client), ...endpoint }) =>
    defineRoute({
      ...WRITTEN_ROUTE,
      surface: 'auth',
      ...endpoint,
      handle: async (_input, { koa, client }) => {
        await handle(koa, client);
        return WRITTEN;
      },
    }),
  );
}

/** Where a request continues after sign-in. */
function resumed(path: string) {
  return { path: `${path}/{uid}`, exists: hasUid };
}

/** Whether a path ends with the id of a request that continues after sign-in. */
function hasUid({ path }: Context): boolean {
  return /\/[A-Za-z0-9_-]{10,64}$/.test(path);
}

/** The path of a request below the address of the authorization server. */
function pathOf(koa: Context, { pathBelow }: SignInContext): string {
  return pathBelow('auth', koa) ?? SERVER_METADATA_PATH;
}

/** Passes the request to the provider, which reads its body and writes to the Node response. */
async function passToProvider(koa: Context, context: SignInContext, client: string): Promise<void> {
  const provider = await context.currentProvider();
  const { url } = koa.req;
  prepareRequest(koa.req, context.authUrl, { path: pathOf(koa, context), search: koa.querystring, client });
  koa.respond = false;
  koa.res.statusCode = 404;
  try {
    await provider.callback()(koa.req, koa.res);
  } finally {
    if (url !== undefined) koa.req.url = url;
  }
}

/** The interaction URL: redirects to the login host first, and continues when the browser returns with a ticket. */
async function continueInteraction(koa: Context, context: SignInContext, client: string): Promise<void> {
  const { authUrl, loginUrl, accounts, ownFrame } = context;
  const ticket = new URLSearchParams(koa.querystring).get('ticket');
  if (koa.method !== 'GET') {
    // Any visit with a ticket consumes it.
    if (ticket !== null) await accounts.oneTime.consume('ticket', ticket);
    throw new Problem('method_not_allowed', { headers: { Allow: 'GET' } });
  }
  prepareRequest(koa.req, authUrl, { path: pathOf(koa, context), search: '', client });
  try {
    koa.set('Location', await stepInteraction(koa, ticket, context));
    koa.status = 303;
    koa.body = '';
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error;
    koa.status = 400;
    const error_description = 'This sign-in was started in another browser, or it has expired.';
    koa.type = 'html';
    koa.body = errorPage(ownFrame, { error: error.error, error_description }, loginUrl);
  }
}

/** Refuses a body whose declared length is above the limit. A chunked body declares none. */
function refusesBody(koa: Context): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length = 0 } = koa.req.headers;
  const maxBytes = LIMITS.http.registrationBytes;
  if (encoding === undefined && Number(length) <= maxBytes) return false;
  koa.status = encoding === undefined ? 413 : 411;
  koa.set('Cache-Control', 'no-store');
  const error_description = `A registration needs a Content-Length of at most ${maxBytes} bytes.`;
  koa.body = { error: 'invalid_client_metadata', error_description };
  return true;
}
