import { expect } from 'chai';
import { decodeJwt } from 'jose';
import * as oidc from 'openid-client';
import * as z from 'zod';
import { FormBrowser } from '../../../../support/form-browser.ts';
import { openIdentityService } from '../../../../support/identity-service.ts';
import { beginRequest, connectApp, openApp, refusal } from '../../../../support/oauth-app.ts';
import { useFixture } from '../../../../support/use-fixture.ts';

describe('clients as they are', () => {
  const service = useFixture(openIdentityService);
  const app = useFixture(() => openApp(service().config.authUrl));

  const me = (token: string): Promise<Response> =>
    fetch(`${service().config.baseUrl}/me`, { headers: { authorization: `Bearer ${token}` } });

  it('gives two processes that share a sign-in a working successor each, and a third use ends the grant', async () => {
    const { refresh_token = '' } = await connectApp(app(), new FormBrowser(), 'shared');
    const refresh = (token: string) => oidc.refreshTokenGrant(app().configuration, token);
    const [one, other] = [await refresh(refresh_token), await refresh(refresh_token)];
    expect(one.refresh_token).to.not.equal(other.refresh_token);
    const next = await Promise.all([one, other].map((tokens) => refresh(tokens.refresh_token ?? '')));
    for (const { access_token } of next) expect((await me(access_token)).status).to.equal(200);
    expect(await refusal(() => refresh(refresh_token))).to.equal('invalid_grant');
    expect(await refusal(() => refresh(next[1]?.refresh_token ?? ''))).to.equal('invalid_grant');
  });

  it('lets at most two of many concurrent requests use a refresh token', async () => {
    const { refresh_token = '' } = await connectApp(app(), new FormBrowser(), 'crowd');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => oidc.refreshTokenGrant(app().configuration, refresh_token)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).to.be.within(1, 2);
  });

  /** Registers an app as clients of MCP do, without a type. */
  async function registerUntyped(redirect_uris: readonly string[], scope?: string) {
    const response = await fetch(`${service().origin}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Loopback editor',
        redirect_uris,
        token_endpoint_auth_method: 'none',
        scope,
      }),
    });
    const json = z.looseObject({ client_id: z.string() }).parse(await response.json());
    return { status: response.status, json };
  }

  for (const [registered, used] of [
    [['https://editor.example/redirect', 'http://127.0.0.1/', 'http://127.0.0.1:33418/'], 'http://127.0.0.1:41234/'],
    [['http://localhost/callback', 'http://127.0.0.1/callback'], 'http://127.0.0.1:63785/callback'],
    [['http://localhost/callback', 'http://127.0.0.1/callback'], 'http://localhost:63785/callback'],
  ] as const) {
    it(`takes any port of a loopback redirect, whatever the client's type: ${used} of ${registered.join(' and ')}`, async () => {
      const { status, json } = await registerUntyped(registered);
      expect(status).to.equal(201);
      const untyped = await openApp(service().origin, json.client_id);
      const { url } = await beginRequest({ ...untyped, redirectUri: used });
      expect((await fetch(url, { redirect: 'manual' })).status).to.equal(303);
      const elsewhere = await beginRequest({ ...untyped, redirectUri: `${used}other` });
      expect((await fetch(elsewhere.url, { redirect: 'manual' })).status).to.equal(400);
    });
  }

  it('refuses a registration whose redirects are no list', async () => {
    for (const redirect_uris of ['http://127.0.0.1/', {}, null]) {
      const response = await fetch(`${service().origin}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris, token_endpoint_auth_method: 'none' }),
      });
      expect(response.status).to.equal(400);
      expect(await response.json())
        .to.have.property('error')
        .that.is.oneOf(['invalid_redirect_uri', 'invalid_client_metadata']);
    }
  });

  it('drops scopes that do not exist from a registration', async () => {
    const { status, json } = await registerUntyped(['http://127.0.0.1/'], 'openid leaderboard:read offline_access');
    expect(status).to.equal(201);
    expect(json).to.include({ scope: 'openid offline_access' });
  });

  it('takes the address of the MCP endpoint as a resource, for a token that the API refuses', async () => {
    for (const resource of [`${service().origin}/mcp`, `${service().origin}/mcp/`]) {
      const tokens = await connectApp(app(), new FormBrowser(), 'agent', { resource });
      expect(decodeJwt(tokens.access_token)).to.include({ aud: resource }).and.not.have.property('scope');
      expect((await me(tokens.access_token)).status).to.equal(401);
      const refresh = () =>
        oidc.refreshTokenGrant(app().configuration, tokens.refresh_token ?? '', { resource: service().config.baseUrl });
      expect(await refusal(refresh)).to.equal('invalid_target');
      const called = await fetch(`${service().origin}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: '*/*', authorization: `Bearer ${tokens.access_token}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      });
      expect(called.status).to.equal(200);
    }
  });
});
