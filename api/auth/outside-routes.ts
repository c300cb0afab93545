import { JsonWebKeySet } from '../../engine/contract/index.ts';
import { type ApiContext, defineRoute } from '../context/api-context.ts';
import { html } from '../html.ts';
import { represent } from '../http/representation.ts';
import type { Route, RouteResult } from '../http/route.ts';
import { OPENID_CONFIGURATION_PATH, ROUTES, SERVER_METADATA_PATH } from './authorization-server/routes.ts';
import { type OutsideProvider, ProviderMetadata } from './outside-provider.ts';
import { pageHeaders, renderPage } from './page.ts';
import { PATHS } from './sign-in/paths.ts';
import { SessionAnswer, SIGNED_OUT } from './sign-in/session-answer.ts';

const COMMON = {
  description: 'Of an external identity provider.',
  tag: 'service',
  auth: 'public',
  limit: 'documents',
  problems: ['identity_provider_unavailable'],
  documented: false,
} as const;

const GET = { ...COMMON, method: 'get' } as const;

const FOUND = [{ status: 303, description: 'Leads on.' }] as const;

const redirect = (status: number, Location: string): RouteResult => ({ kind: 'empty', status, headers: { Location } });

/** The contract's addresses of sign-in (part 4.6 and 5) on an installation with an external identity provider. */
export function outsideRoutes(provider: OutsideProvider): readonly Route<ApiContext>[] {
  const mirror = (surface: 'login' | 'auth', path: string, operationId: string): Route<ApiContext> =>
    defineRoute({
      ...GET,
      surface,
      path,
      operationId,
      summary: 'Metadata of the identity provider',
      successes: [{ status: 200, description: 'The metadata.', schema: ProviderMetadata }],
      handle: async () => ({ kind: 'json', status: 200, body: await provider.metadata() }),
    });
  return [
    mirror('login', SERVER_METADATA_PATH, 'serverMetadataAtLogin'),
    mirror('auth', SERVER_METADATA_PATH, 'serverMetadata'),
    mirror('auth', OPENID_CONFIGURATION_PATH, 'openidConfiguration'),
    defineRoute({
      ...GET,
      surface: 'auth',
      path: ROUTES.jwks,
      operationId: 'getProviderKeys',
      summary: 'Public keys of access tokens',
      successes: [{ status: 200, description: 'The keys.', schema: JsonWebKeySet }],
      handle: async () => ({ kind: 'json', status: 200, body: await provider.keys() }),
    }),
    defineRoute({
      ...GET,
      surface: 'auth',
      path: ROUTES.authorization,
      operationId: 'authorize',
      summary: 'Leads to the identity provider',
      successes: FOUND,
      handle: async (_input, { search }) => redirect(303, await authorizationAddress(provider, search)),
    }),
    defineRoute({
      ...COMMON,
      method: 'post',
      surface: 'auth',
      path: ROUTES.token,
      operationId: 'token',
      summary: 'Leads to the identity provider, with the body',
      successes: [{ status: 307, description: 'Leads on.' }],
      handle: async () => redirect(307, (await provider.metadata()).token_endpoint),
    }),
    ...signInRoutes(provider),
  ];
}

function signInRoutes(provider: OutsideProvider): readonly Route<ApiContext>[] {
  return [
    defineRoute({
      ...GET,
      surface: 'login',
      path: PATHS.login,
      operationId: 'login',
      summary: 'Sign in at the identity provider',
      successes: [{ status: 200, description: 'The page.', mediaTypes: ['text/html'] }, ...FOUND],
      page: true,
      handle: async (_input, { ctx: { config }, search }) => {
        const address = await authorizationAddress(provider, search);
        if (new URLSearchParams(search).has('client_id')) return redirect(303, address);
        const text = renderPage('Sign in', signInBody(new URL(address), config.siteUrl));
        const body = represent(text, 'text/html; charset=utf-8', false);
        return { kind: 'ready', status: 200, body, headers: pageHeaders() };
      },
    }),
    defineRoute({
      ...GET,
      surface: 'login',
      path: PATHS.callback,
      operationId: 'authCallback',
      summary: 'Leads to the sign-in page: no sign-in starts here',
      successes: FOUND,
      handle: (_input, { ctx: { config } }) => redirect(303, `${config.loginUrl}${PATHS.login}`),
    }),
    defineRoute({
      ...GET,
      surface: 'login',
      path: PATHS.session,
      operationId: 'getSession',
      summary: 'Whether this browser is signed in',
      successes: [{ status: 200, description: 'It is not: there are no sessions.', schema: SessionAnswer }],
      handle: (_input, { ctx: { config } }) => {
        const body = { ...SIGNED_OUT, login_url: `${config.loginUrl}${PATHS.login}` };
        return { kind: 'json', status: 200, body };
      },
    }),
  ];
}

/** The provider's authorization endpoint, with the parameters of a request added. */
async function authorizationAddress(provider: OutsideProvider, search: string): Promise<string> {
  const address = new URL((await provider.metadata()).authorization_endpoint);
  address.search = [address.search, search].filter((part) => part !== '').join('&');
  return address.href;
}

function signInBody({ origin, host }: URL, siteUrl: string) {
  return html`<p>You sign in to this service at <a href="${origin}">${host}</a>.</p>
<p>Start from the app that you want to use, and it takes you there: see <a href="${siteUrl}/developers/getting-started">how to sign in with the command-line tool</a>.</p>
<p class="soft">The first time you use the service, you get a free operator account.</p>`;
}
