import { expect } from 'chai';
import * as oidc from 'openid-client';
import { DAY_MS, HOUR_MS } from '../../config/units.ts';
import { FormBrowser } from '../support/form-browser.ts';
import { openIdentityService } from '../support/identity-service.ts';
import { beginRequest, connectApp, type OAuthApp, openApp } from '../support/oauth-app.ts';
import { useFixture } from '../support/use-fixture.ts';

const REDIRECT = 'https://charts.example/cb';
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const KID = 'k'.repeat(43);

function metadata(changes: object = {}) {
  return { client_name: 'Pretty charts', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none', ...changes };
}

/** A registration with a note of so many bytes, which is ignored. */
function textOf(bytes: number): string {
  return JSON.stringify(metadata({ note: 'x'.repeat(bytes) }));
}

/** What a client's authorization request is answered with. */
async function statusOf(app: OAuthApp): Promise<number> {
  return (await fetch((await beginRequest(app)).url, { redirect: 'manual' })).status;
}

describe('abuse: third-party apps', () => {
  const service = useFixture(openIdentityService);

  async function register(changes: object = {}): Promise<OAuthApp> {
    const configuration = await oidc.dynamicClientRegistration(
      new URL(service().config.authUrl),
      metadata(changes),
      oidc.None(),
      { execute: [oidc.allowInsecureRequests] },
    );
    return { configuration, redirectUri: REDIRECT };
  }

  function send(body: string | ReadableStream, extra: { duplex?: 'half' } = {}): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return fetch(`${service().origin}/oauth/register`, { method: 'POST', headers, body, ...extra });
  }

  function api(method: string, path: string, token: string, body?: object): Promise<Response> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return fetch(`${service().config.baseUrl}${path}`, { method, headers, ...sent });
  }

  /** What changes who an operator is, with a body that is good enough to be looked at. */
  const OWNERS_ACTS: readonly (readonly [string, string, object?])[] = [
    ['DELETE', '/me'],
    ['PATCH', '/me', { display_name: 'Taken Over' }],
    ['POST', '/devices', { jwk: { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) }, proof: 'a.b.c' }],
    ['DELETE', `/devices/${KID}`],
    ['GET', '/leagues'],
    ['POST', '/leagues', { name: 'Taken over', visibility: 'public' }],
    ['PATCH', '/leagues/some-league', { visibility: 'private' }],
    ['DELETE', '/leagues/some-league'],
    ['POST', '/leagues/some-league/join', { code: 'a-code' }],
    ['DELETE', '/leagues/some-league/members/somebody'],
  ];

  it('cannot erase, rename, enrol or revoke, but can do what the contract gives their scopes', async () => {
    const tokens = await connectApp(await register(), new FormBrowser(), 'charted');
    for (const [method, path, body] of OWNERS_ACTS) {
      const response = await api(method, path, tokens.access_token, body);
      expect(response.status, `${method} ${path}`).to.equal(403);
      expect(await response.json()).to.include({ code: 'client_not_allowed', status: 403 });
    }
    for (const path of ['/me', '/devices']) {
      expect((await api('GET', path, tokens.access_token)).status, path).to.equal(200);
    }
    const unsigned = await api('POST', '/snapshots', tokens.access_token, {});
    expect(await unsigned.json()).to.include({ status: 400 });
  });

  it('are refused what the official tool can do', async () => {
    const app = await openApp(service().config.authUrl);
    const { access_token } = await connectApp(app, new FormBrowser(), 'owner');
    for (const [method, path, body] of OWNERS_ACTS.toReversed()) {
      const { status } = await api(method, path, access_token, body);
      const isErasure = method === 'DELETE' && path === '/me';
      expect(status, `${method} ${path}`).to.be.oneOf(
        isErasure ? [403] : path === '/me' ? [200] : [200, 201, 400, 404],
      );
    }
  });

  it('are shown to the person with their permissions', async () => {
    const browser = new FormBrowser();
    const ask = async (app: OAuthApp, name: string): Promise<string> => {
      const page = await browser.get((await beginRequest(app)).url);
      return page.url.includes('/login?')
        ? (await browser.submit(page, '/login/development', { name })).text
        : page.text;
    };
    const app = await register({
      client_name: 'Pretty charts (upsilon)',
      grant_types: ['authorization_code', DEVICE_GRANT],
    });
    const other = await ask(app, 'asked');
    expect(other)
      .to.include('submit counts that one of your devices signed')
      .and.include('It cannot change your names')
      .and.not.match(/<li>[^<]*delete/);
    const official = await ask(await openApp(service().config.authUrl), 'asked');
    expect(official)
      .to.match(/<li>see your plan[^]*<li>submit[^]*commands that you type[^]*<li>change your codename/)
      .and.include('It cannot delete your account')
      .and.not.match(/<li>[^<]*delete/);
    expect(official).not.to.include('not part of Upsilon');
    expect(other).to.include('not part of Upsilon').and.include('It is at charts.example.');
    expect(other).to.include('<strong>Pretty charts</strong>');
    const waiting = await oidc.initiateDeviceAuthorization(app.configuration, { scope: 'openid' });
    const filled = await browser.get(waiting.verification_uri_complete ?? '');
    const confirm = await browser.submit(filled, '/oauth/device', { user_code: waiting.user_code });
    const consent = await browser.submit(confirm, '/oauth/device', { confirm: 'yes' });
    for (const { text } of [confirm, consent]) {
      expect(text).to.include('Pretty charts').and.include('not part of Upsilon');
      expect(text).to.include('an app that you entered a code for');
    }
  });

  it('do not register under the name of the product', async () => {
    const response = await send(JSON.stringify(metadata({ client_name: 'Upsilon command-line tool' })));
    expect(response.status).to.equal(400);
    expect(await response.json()).to.include({ error: 'invalid_client_metadata' });
  });

  it('register with a few kilobytes', async () => {
    const bounded = textOf(0).length;
    expect((await send(textOf(4_096 - bounded))).status).to.equal(201);
    const refused = await send(textOf(4_097 - bounded));
    expect(refused.status).to.equal(413);
    expect(await refused.json()).to.include({ error: 'invalid_client_metadata' });
    const unbounded = await send(new Blob([textOf(10)]).stream(), { duplex: 'half' });
    expect(unbounded.status).to.equal(411);
  });

  for (const address of [
    'http://charts.example/cb',
    'http://127.0.0.1.attacker.example/cb',
    'http://10.0.0.1/cb',
    'mailto:somebody@charts.example',
    'charts:/cb',
    'com.example.charts:/cb',
    'data:text/html,x',
  ]) {
    it(`get no answers at ${address}`, async () => {
      for (const application_type of ['web', 'native']) {
        const response = await send(JSON.stringify(metadata({ application_type, redirect_uris: [REDIRECT, address] })));
        expect(response.status, application_type).to.equal(400);
      }
    });
  }

  it('are forgotten after a day, unless a person allowed them something', async () => {
    // Registrations are counted by the hour.
    service().ahead += HOUR_MS;
    const [unused, used] = [await register(), await register()];
    await connectApp(used, new FormBrowser(), 'user-of-an-app');
    expect(await statusOf(unused)).to.equal(303);
    service().ahead += DAY_MS + 1_000;
    expect(await statusOf(unused)).to.equal(400);
    expect(await statusOf(used)).to.equal(303);
    service().ahead += 364 * DAY_MS;
    expect(await statusOf(used)).to.equal(303);
    service().ahead += 2 * DAY_MS;
    expect(await statusOf(used)).to.equal(400);
  });
});
