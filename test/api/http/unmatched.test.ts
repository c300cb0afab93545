import { expect } from 'chai';
import { authorizationRoutes } from '../../../api/auth/authorization-routes.ts';
import { oauthError, oauthErrorOrPage } from '../../../api/auth/authorization-server/oauth-errors.ts';
import { openSignInContext } from '../../../api/auth/sign-in/context.ts';
import { signInRoutes } from '../../../api/auth/sign-in/routes.ts';
import { NOTHING } from '../../../api/html.ts';
import { createHosts } from '../../../api/http/hosts.ts';
import { type RatePolicies, ratePolicies } from '../../../api/http/rate-limit/rate-policy.ts';
import type { Route } from '../../../api/http/route.ts';
import { servedRoutes } from '../../../api/routes.ts';
import { openTestApi, type TestApi } from '../../support/test-api.ts';

/** What a body is, by its members. */
function formOf(text: string): string {
  if (text.startsWith('<!doctype html>')) return 'page';
  const body: unknown = JSON.parse(text);
  if (typeof body !== 'object' || body === null) return 'unknown';
  if ('jsonrpc' in body) return 'JSON-RPC';
  return 'error_description' in body ? 'OAuth' : 'code' in body && 'hint' in body ? 'problem' : 'unknown';
}

/** The form of errors for clients that accept anything. */
function expectedForm({ path, errors }: Pick<Route<never>, 'path' | 'errors'>): string {
  if (path === '/mcp') return 'JSON-RPC';
  return errors === oauthError || errors === oauthErrorOrPage ? 'OAuth' : 'problem';
}

function addressOf(route: Route<never>, test: TestApi): string {
  return createHosts(test.settings)
    .pathOf(route)
    .replaceAll(/\{\w+\}/g, 'A'.repeat(21));
}

describe('api: every route of every surface', () => {
  const identities: { close(): Promise<void> }[] = [];
  let routes: readonly Route<never>[] = [];
  let open: TestApi;
  let closed: TestApi;

  async function openWith(rates: RatePolicies): Promise<TestApi> {
    const test = await openTestApi({
      settings: { rates },
      identity: async (ctx) => {
        const signIn = await openSignInContext(ctx, {
          frameOf:
            () =>
            ({ title }) =>
              `<!doctype html><html><h1>${title}</h1></html>`,
          standing: async () => NOTHING,
        });
        identities.push(signIn);
        routes = [...authorizationRoutes(signIn), ...signInRoutes(signIn)];
        return routes;
      },
    });
    routes = [...servedRoutes(test.settings), ...routes, { ...routes[0]!, ...MCP }];
    return test;
  }

  const MCP = { method: 'post', surface: 'site', path: '/mcp', operationId: 'mcp', limit: 'mcp' } as const;

  before(async () => {
    open = await openWith(ratePolicies({ quota: 100_000 }));
    closed = await openWith(ratePolicies({ quota: 0 }));
  });

  after(async () => {
    await Promise.all([open, closed].map((test) => test[Symbol.asyncDispose]()));
    await Promise.all(identities.map((identity) => identity.close()));
  });

  it('refuses other methods, and says which there are', async () => {
    expect(routes.length).to.be.above(100);
    for (const route of routes.filter(({ alsoMethods }) => alsoMethods !== 'all')) {
      const { status, headers, text } = await open.send(addressOf(route, open), { method: 'PUT' });
      expect([status, formOf(text)], route.operationId).to.deep.equal([405, expectedForm(route)]);
      const allowed = headers.get('allow')?.split(', ');
      expect(allowed, route.operationId).to.include.members([route.method.toUpperCase(), 'OPTIONS']);
      expect(headers.get('ratelimit'), route.operationId).to.match(/^"(public|pages)";r=\d+;t=\d+$/);
    }
  });

  it('answers OPTIONS', async () => {
    for (const route of routes.filter(({ alsoMethods }) => alsoMethods === undefined || alsoMethods.length === 0)) {
      const { status, headers } = await open.send(addressOf(route, open), { method: 'OPTIONS' });
      expect(status, route.operationId).to.equal(204);
      const isOpen =
        route.auth === 'operator' || (['public', 'optional'].includes(route.auth) && route.method === 'get');
      const origin = isOpen || route.operationId === 'mcp' ? '*' : null;
      expect(headers.get('access-control-allow-origin'), route.operationId).to.equal(origin);
    }
  });

  it('is refused over the quota before its token and body are read, in the form of its errors', async () => {
    const forms = { html: 0, other: 0 };
    for (const route of routes.filter(({ limit }) => limit !== null)) {
      for (const accept of ['*/*', 'text/html']) {
        const init = { method: route.method.toUpperCase(), headers: { accept } };
        const { status, headers, text } = await closed.send(addressOf(route, closed), init);
        expect(status, route.operationId).to.equal(429);
        expect(Number(headers.get('retry-after')), route.operationId).to.be.within(1, 86_400);
        const form = formOf(text);
        forms[form === 'page' ? 'html' : 'other'] += 1;
        if (form === 'page')
          expect(route.page === true || route.errors !== undefined, route.operationId).to.equal(true);
        else expect(form, `${route.operationId} ${accept}`).to.equal(expectedForm(route));
      }
    }
    expect(forms.html).to.be.above(40);
    expect(forms.other).to.be.above(100);
  });

  it('is unknown below or beside its path', async () => {
    for (const path of ['/nowhere', '/login/nowhere', '/oauth/nowhere', '/api/v1/nowhere', '/mcp/x', '/oauth/token/']) {
      const { status, text } = await open.get(path);
      expect([status, formOf(text)], path).to.deep.equal([404, 'problem']);
      const refused = await closed.get(path);
      expect([refused.status, formOf(refused.text)], path).to.deep.equal([429, 'problem']);
    }
  });
});
