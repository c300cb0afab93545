import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import * as oidc from 'openid-client';
import * as z from 'zod';
import { PUBLIC_TOTALS } from '../../../../engine/contract/unranked.ts';
import { FormBrowser } from '../../../support/form-browser.ts';
import { openIdentityService } from '../../../support/identity-service.ts';
import { listenOnFreePort } from '../../../support/listen.ts';
import {
  beginRequest,
  connectApp,
  type OAuthApp,
  openApp,
  refusal,
  signInAndAllow,
} from '../../../support/oauth-app.ts';
import { makeDeviceKey, makeDeviceProof, makeSubmission } from '../../../support/signing.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const ME = z.object({ codename: z.string(), plan: z.string(), email: z.null() });
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

describe('authorization server, seen by openid-client', () => {
  const service = useFixture(() => openIdentityService({ worker: true }));
  const app = useFixture(() => openApp(service().config.authUrl));

  const api = (path: string, token: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${service().config.baseUrl}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...Object.fromEntries(new Headers(init.headers)) },
    });

  async function register(): Promise<OAuthApp> {
    const redirectUri = 'http://localhost:49153/cb';
    const configuration = await oidc.dynamicClientRegistration(
      new URL(service().config.authUrl),
      { client_name: 'A <b>bold</b> app', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
      oidc.None(),
      { execute: [oidc.allowInsecureRequests] },
    );
    return { configuration, redirectUri };
  }

  it('is found at its well-known addresses, which agree', async () => {
    const { origin } = service();
    const [openid, oauth, resource] = await Promise.all(
      ['openid-configuration', 'oauth-authorization-server', 'oauth-protected-resource'].map(async (name) =>
        (await fetch(`${origin}/.well-known/${name}`)).json(),
      ),
    );
    expect(oauth).to.deep.equal(openid);
    expect(openid).to.deep.include({
      issuer: origin,
      authorization_endpoint: `${origin}/oauth/authorize`,
      token_endpoint: `${origin}/oauth/token`,
      jwks_uri: `${origin}/.well-known/jwks.json`,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      authorization_response_iss_parameter_supported: true,
    });
    expect(openid)
      .to.have.property('scopes_supported')
      .that.has.members(['openid', 'profile', 'email', 'leagues', 'offline_access']);
    expect(resource).to.deep.include({ resource: service().config.baseUrl, authorization_servers: [origin] });
  });

  it('takes a code flow with PKCE to a token that POST /snapshots accepts', async () => {
    const tokens = await connectApp(app(), new FormBrowser(), 'flow');
    expect(decodeProtectedHeader(tokens.access_token)).to.include({ alg: 'EdDSA', typ: 'at+jwt' });
    const claims = decodeJwt(tokens.access_token);
    expect(claims).to.include({ iss: service().origin, aud: service().config.baseUrl });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).to.equal(600);
    const me = ME.parse(await (await api('/me', tokens.access_token)).json());
    expect(me).to.include({ plan: 'free', email: null });
    expect(tokens.claims()).to.include({ preferred_username: me.codename });
    const key = makeDeviceKey();
    const iat = Math.floor(Date.now() / 1000);
    const proof = makeDeviceProof(key, { codename: me.codename, iat });
    const headers = { 'content-type': 'application/json' };
    const enrolled = await api('/devices', tokens.access_token, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jwk: key.jwk, proof }),
    });
    expect(enrolled.status).to.equal(201);
    const counts = { codename: me.codename, input: 10, output: 20, cache_read: 300, cache_write: 4 };
    const snapshot = makeSubmission(key, counts, { iat });
    const submitted = await api('/snapshots', tokens.access_token, {
      method: 'POST',
      headers,
      body: JSON.stringify(snapshot),
    });
    expect(submitted.status).to.equal(200);
    expect(await submitted.json()).to.include({ accepted: true, codename: me.codename });
  });

  it('returns the same claims from the userinfo endpoint and in the ID token', async () => {
    const { access_token, refresh_token = '' } = await connectApp(app(), new FormBrowser(), 'userinfo');
    await api('/me', access_token, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ display_name: 'Shown Name' }),
    });
    const tokens = await oidc.refreshTokenGrant(app().configuration, refresh_token);
    const claims = tokens.claims();
    expect(claims).to.include({ name: 'Shown Name' });
    const info = await oidc.fetchUserInfo(app().configuration, tokens.access_token, claims?.sub ?? '');
    expect(claims).to.include(info);
  });

  it('renews tokens with a rotated refresh token, and ends the grant when an old one is used again later', async () => {
    const tokens = await connectApp(app(), new FormBrowser(), 'thief');
    const stolen = tokens.refresh_token ?? '';
    // A grant outlives the session of the browser in which it was given.
    await service().connection.collection('oidc_records').deleteMany({ model: 'Session' });
    const renewed = await oidc.refreshTokenGrant(app().configuration, stolen);
    expect(renewed.refresh_token).to.match(/^[\w-]{43}$/);
    expect(renewed.refresh_token).to.not.equal(stolen);
    const stored = JSON.stringify(await service().connection.collection('oidc_records').find().toArray());
    for (const secret of [stolen, renewed.refresh_token ?? '']) expect(stored).to.not.include(secret);
    expect((await api('/me', renewed.access_token)).status).to.equal(200);
    service().ahead += 31_000;
    const again = await refusal(() => oidc.refreshTokenGrant(app().configuration, stolen));
    expect(again).to.equal('invalid_grant');
    expect(await refusal(() => oidc.refreshTokenGrant(app().configuration, renewed.refresh_token ?? ''))).to.equal(
      'invalid_grant',
    );
    service().ahead += 4_000;
    expect((await api('/me', renewed.access_token)).status).to.equal(401);
  });

  it('revokes: access tokens of the grant end in every api process within 5 s', async () => {
    const tokens = await connectApp(app(), new FormBrowser(), 'revoked');
    const stranger = await register();
    const other = await service().another();
    const elsewhere = (): Promise<Response> =>
      fetch(`${other}/api/v1/me`, { headers: { authorization: `Bearer ${tokens.access_token}` } });
    expect((await elsewhere()).status).to.equal(200);
    expect((await api('/me', tokens.access_token)).status).to.equal(200);
    await refusal(() => oidc.tokenRevocation(stranger.configuration, tokens.refresh_token ?? ''));
    service().ahead += 4_000;
    expect((await elsewhere()).status, 'revoked by another app').to.equal(200);
    await oidc.tokenRevocation(app().configuration, tokens.refresh_token ?? '');
    service().ahead += 4_000;
    const response = await elsewhere();
    expect(response.headers.get('www-authenticate')).to.match(
      /^Bearer realm=.*error="invalid_token".*resource_metadata=/,
    );
    expect(await response.json()).to.include({ code: 'token_invalid' });
  });

  it('connects a device that has no browser', async () => {
    const waiting = await oidc.initiateDeviceAuthorization(app().configuration, { scope: 'openid profile email' });
    const browser = new FormBrowser();
    const filled = await browser.get(waiting.verification_uri_complete ?? '');
    expect(filled.text).to.include(`value="${waiting.user_code}"`);
    const confirm = await browser.submit(filled, '/oauth/device', { user_code: waiting.user_code });
    expect(confirm.text).to.include(waiting.user_code).and.to.include('Upsilon command-line tool');
    const login = await browser.submit(confirm, '/oauth/device', { confirm: 'yes' });
    const consent = await browser.submit(login, '/login/development', { name: 'device-owner' });
    const done = await browser.submit(consent, '/login/consent', { answer: 'allow' });
    expect(done.text).to.include('Your device is connected');
    const polling = { ...waiting, interval: 0.2 };
    const tokens = await oidc.pollDeviceAuthorizationGrant(app().configuration, polling);
    expect((await api('/me', tokens.access_token)).status).to.equal(200);
  });

  it('reports a refusal to the device', async () => {
    const waiting = await oidc.initiateDeviceAuthorization(app().configuration, { scope: 'openid profile email' });
    const browser = new FormBrowser();
    const page = await browser.get(waiting.verification_uri);
    const wrong = await browser.submit(page, '/oauth/device', { user_code: 'BBBB-BBBB' });
    expect(wrong.text).to.include('do not recognise that code');
    const confirm = await browser.submit(wrong, '/oauth/device', { user_code: waiting.user_code });
    expect((await browser.submit(confirm, '/oauth/device', { abort: 'yes' })).text).to.include('Cancelled');
    const polling = { ...waiting, interval: 0.2 };
    expect(await refusal(() => oidc.pollDeviceAuthorizationGrant(app().configuration, polling))).to.equal(
      'access_denied',
    );
  });

  it('asks to start again when the device form arrives without its cookie', async () => {
    const answer = await fetch(`${service().origin}/oauth/device`, {
      method: 'POST',
      headers: { accept: 'text/html' },
      body: new URLSearchParams({ xsrf: 'made-up', user_code: 'BBBB-BBBB' }),
    });
    expect(answer.status).to.equal(400);
    expect(await answer.text())
      .to.include('Start again')
      .and.include(`href="${service().origin}/oauth/device"`);
  });

  it('reports a refusal to the app', async () => {
    const browser = new FormBrowser();
    browser.stops.push(app().redirectUri);
    const request = await beginRequest(app());
    const consent = await browser.submit(await browser.get(request.url), '/login/development', { name: 'refuser' });
    const page = await browser.submit(consent, '/login/consent', { answer: 'refuse' });
    const answer = new URL(page.url).searchParams;
    expect(answer.get('error')).to.equal('access_denied');
    expect(answer.get('iss')).to.equal(service().origin);
  });

  it('requires S256 of every client', async () => {
    const url = new URL((await beginRequest(app())).url);
    for (const parameter of ['code_challenge', 'code_challenge_method']) url.searchParams.delete(parameter);
    const browser = new FormBrowser();
    browser.stops.push(app().redirectUri);
    expect(new URL((await browser.get(url.href)).url).searchParams.get('error')).to.equal('invalid_request');
    url.searchParams.set('code_challenge', 'plain-text-challenge-of-enough-characters-00');
    url.searchParams.set('code_challenge_method', 'plain');
    expect(new URL((await browser.get(url.href)).url).searchParams.get('error')).to.equal('invalid_request');
  });

  it('issues tokens only for its API, with the scopes of the API to apps that name none', async () => {
    const browser = new FormBrowser();
    browser.stops.push(app().redirectUri);
    const { url } = await beginRequest(app(), { resource: 'https://elsewhere.example/' });
    expect(new URL((await browser.get(url)).url).searchParams.get('error')).to.equal('invalid_target');
    const tokens = await connectApp(app(), new FormBrowser(), 'resource', {
      resource: service().config.baseUrl,
      scope: '',
    });
    expect(decodeJwt(tokens.access_token)).to.include({ aud: service().config.baseUrl, scope: 'openid profile email' });
  });

  it('redirects only to registered addresses', async () => {
    const { url } = await beginRequest(app(), { redirect_uri: 'https://evil.example/callback' });
    const page = await new FormBrowser().get(url);
    expect(page.status).to.equal(400);
    expect(page.text).to.include('This sign-in cannot continue').and.not.include('evil.example');
  });

  it('lets apps register themselves, without secrets', async () => {
    const registered = await register();
    const browser = new FormBrowser();
    const request = await beginRequest(registered);
    const consent = await browser.submit(await browser.get(request.url), '/login/development', { name: 'registrar' });
    expect(consent.text).to.include('A &lt;b&gt;bold&lt;/b&gt; app').and.to.include('localhost:49153');
    expect(consent.text).to.include('see your e-mail address, to which notices about sign-in go');
    expect(consent.text).to.include(PUBLIC_TOTALS);
    browser.stops.push(registered.redirectUri);
    const page = await browser.submit(consent, '/login/consent', { answer: 'allow' });
    const tokens = await request.finish(page.url);
    expect((await api('/me', tokens.access_token)).status).to.equal(200);
  });

  it('responds by a form to apps that request it, under a policy that allows the form', async () => {
    const browser = new FormBrowser();
    const request = await beginRequest(app(), { response_mode: 'form_post' });
    const page = await signInAndAllow(browser, request.url, 'poster');
    expect(page.text).to.include(`action="${app().redirectUri}"`).and.to.include('name="code"');
    const script = /<script>([\s\S]*?)<\/script>/.exec(page.text)?.[1] ?? '';
    const hash = createHash('sha256').update(script).digest('base64');
    const policy = page.headers.get('content-security-policy');
    expect(policy).to.include(`'sha256-${hash}'`).and.to.include('form-action').and.to.include('http://127.0.0.1:*');
  });

  it('fetches no URL from client metadata', async () => {
    let connections = 0;
    const internal = createServer(() => (connections += 1));
    const port = await listenOnFreePort(internal);
    const response = await fetch(`${service().origin}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        redirect_uris: ['https://app.example/cb'],
        sector_identifier_uri: `https://127.0.0.1:${port}/internal`,
      }),
    });
    internal.close();
    expect({ status: response.status, connections }).to.deep.equal({ status: 400, connections: 0 });
  });

  it('requires a signed-in person to sign in again when the app requests it', async () => {
    const browser = new FormBrowser();
    service().ahead = -5_000;
    await connectApp(app(), browser, 'again');
    service().ahead = 0;
    const without = await beginRequest(app());
    expect(new URL((await browser.get(without.url)).url).pathname).to.equal('/login/consent');
    const fresh = await beginRequest(app(), { prompt: 'login' });
    expect(new URL((await browser.get(fresh.url)).url).pathname).to.equal('/login');
    const silent = await beginRequest(app(), { prompt: 'none' });
    expect(new URL((await browser.get(silent.url)).url).searchParams.get('error')).to.equal('login_required');
  });

  it('continues a request only in the browser that started it', async () => {
    const victim = new FormBrowser();
    await connectApp(app(), victim, 'victim');
    const attacker = new FormBrowser();
    const request = await beginRequest(app());
    const page = await attacker.get(request.url);
    const interaction = new URL(page.url).searchParams.get('next') ?? '';
    const consent = await victim.get(new URL(interaction, service().origin).href);
    const answered = await victim.submit(consent, '/login/consent', { answer: 'allow' });
    expect(answered.status).to.equal(400);
    expect(answered.text).to.include('another browser');
  });

  for (const [what, parameters, fits] of [
    ['wants a fresh sign-in', { prompt: 'login' }, false],
    ['wants one of the last 30 seconds', { max_age: '30' }, false],
    ['wants one of the last hour', { max_age: '3600' }, true],
  ] as const) {
    it(`takes a consent by a sign-in of a minute ago ${fits ? '' : 'not '}for an app that ${what}`, async () => {
      const browser = new FormBrowser();
      service().ahead = -60_000;
      await connectApp(app(), browser, 'minute-ago');
      service().ahead = 0;
      const request = await beginRequest(app(), parameters);
      const asked = await browser.get(request.url);
      expect(new URL(asked.url).pathname).to.equal(fits ? '/login/consent' : '/login');
      const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(asked.text) ?? [];
      const next = fits ? asked.url : (new URL(asked.url).searchParams.get('next') ?? '');
      const interaction = new URL(next, service().origin).searchParams.get('interaction') ?? '';
      const fields = new URLSearchParams({ csrf, interaction, answer: 'allow' });
      const answered = await browser.post(`${service().origin}/login/consent`, fields);
      expect(answered.url.startsWith(app().redirectUri)).to.equal(fits);
      if (!fits) expect(new URL(answered.url).pathname).to.equal('/login');
      else expect((await request.finish(answered.url)).claims()?.auth_time).to.be.below(Date.now() / 1_000 - 50);
    });
  }

  it('signs with another key after a rotation, and tokens of the former one stay valid', async () => {
    const before = await connectApp(app(), new FormBrowser(), 'rotating');
    const { kid } = await service().accounts.signingKeys.rotate();
    service().ahead += 61_000;
    const after = await oidc.refreshTokenGrant(app().configuration, before.refresh_token ?? '');
    expect(decodeProtectedHeader(after.access_token).kid).to.equal(kid);
    expect((await api('/me', after.access_token)).status).to.equal(200);
    expect((await api('/me', before.access_token)).status).to.equal(200);
  });

  it('refuses every token of a suspended operator within 5 s, until it is restored', async () => {
    const browser = new FormBrowser();
    const tokens = await connectApp(app(), browser, 'suspended');
    const subject = decodeJwt(tokens.access_token).sub ?? '';
    const { operator = 0 } = (await service().accounts.bySubject(subject)) ?? {};
    // As an app finds it that is allowed during the suspension: its grant is still there.
    await service()
      .connection.collection('accounts')
      .updateOne({ subject }, { $set: { suspended: true } });
    expect(await refusal(() => oidc.refreshTokenGrant(app().configuration, tokens.refresh_token ?? ''))).to.equal(
      'invalid_grant',
    );
    await service().accounts.suspend(operator, true);
    service().ahead += 4_000;
    expect(await (await api('/me', tokens.access_token)).json()).to.include({ code: 'account_suspended' });
    expect(await refusal(() => oidc.refreshTokenGrant(app().configuration, tokens.refresh_token ?? ''))).to.equal(
      'invalid_grant',
    );
    const page = await browser.submit(await browser.get(`${service().origin}/login`), '/login/development', {
      name: 'suspended',
    });
    expect(page.status).to.equal(403);
  });

  it('keeps all state in its stores: a flow may continue in another process', async () => {
    const browser = new FormBrowser();
    browser.stops.push(app().redirectUri);
    const request = await beginRequest(app());
    const page = await signInAndAllow(browser, request.url, 'wanderer');
    const answer = new URL(page.url).searchParams;
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'upsilon-cli',
      code: answer.get('code') ?? '',
      redirect_uri: app().redirectUri,
      code_verifier: 'wrong'.repeat(10),
    });
    const response = await fetch(`${await service().another()}/oauth/token`, { method: 'POST', body });
    expect(await response.json()).to.include({ error: 'invalid_grant' });
  });

  it('speaks the device grant', () => {
    expect(app().configuration.serverMetadata().grant_types_supported).to.include(DEVICE_CODE);
  });
});

/** The OAuth error that a call ends with. */
