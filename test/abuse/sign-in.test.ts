import { expect } from 'chai';
import { z } from 'zod';
import { FormBrowser } from '../support/form-browser.ts';
import { openIdentityService } from '../support/identity-service.ts';
import { beginRequest, connectApp, openApp, signInAndAllow } from '../support/oauth-app.ts';
import { useFixture } from '../support/use-fixture.ts';
import { createCaseTable } from './support/case-table.ts';

const CLIENT = 'upsilon-cli';
/** Longer than any quota's window. */
const LATER_MS = 3_700_000;
const LINE_BREAKS = '\r\nSet-Cookie: stolen=1\r\nX-Injected: 1';

const EVIL = 'https://attacker.example/callback';

describe('abuse: cookies, forms of other sites, and the authorization server', () => {
  const table = createCaseTable('abuse: cookies, forms of other sites, and the authorization server');
  const service = useFixture(openIdentityService);
  const app = useFixture(() => openApp(service().config.authUrl, CLIENT));
  const victim = useFixture(() => new FormBrowser());

  before(async () => victim().submit(await victim().get(at('/login')), '/login/development', { name: 'victim' }));

  after(() => table.print());

  beforeEach(() => {
    service().ahead += LATER_MS;
  });

  const at = (path: string): string => `${service().origin}${path}`;

  async function signedIn(browser: FormBrowser): Promise<unknown> {
    return JSON.parse((await browser.get(at('/api/auth/session'))).text)['authenticated'];
  }

  /** Every form that changes something, sent by another site in the name of who is signed in. */
  const FORMS = ['/account/sign-out', '/account/sign-out-everywhere', '/account/rename', '/account/erase'];
  for (const path of FORMS) {
    for (const [what, headers, own] of [
      ['without a token', {}, false],
      ['from another origin', { origin: 'https://attacker.example' }, true],
      ['from an origin like ours', { origin: 'http://localhost.attacker.example' }, true],
      ['from no origin', { origin: 'null' }, true],
      ['from another site, says the browser', { 'sec-fetch-site': 'cross-site' }, true],
    ] as const) {
      it(`CSRF: ${path} ${what} changes nothing`, async () => {
        const csrf = own ? csrfIn((await victim().get(at('/account'))).text) : '';
        const fields = new URLSearchParams({ csrf, codename: 'taken-over', confirm: 'victim' });
        const { status } = await victim().post(at(path), fields, headers);
        table.note(`CSRF: ${path} ${what}`, String(status));
        expect(status).to.equal(403);
        expect(await signedIn(victim())).to.equal(true);
      });
    }
  }

  for (const [name, cookie] of [
    ['a made-up session', 'upsilon-session=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['a query operator for a session', 'upsilon-session[$ne]=x'],
    ['JSON for a session', 'upsilon-session={"$gt":""}'],
    ['an escaped nul', 'upsilon-session=%00'],
    ['an empty session', 'upsilon-session='],
    ['__proto__ for a name', '__proto__=x; constructor=y'],
    ['a thousand cookies', Array.from({ length: 1_000 }, (_, index) => `c${index}=1`).join('; ')],
    ['separators alone', ';;;===;;,,,;'],
    ['a quoted value without an end', 'upsilon-session="'],
  ] as const) {
    it(`cookies: ${name} does not sign in`, async () => {
      const response = await fetch(at('/api/auth/session'), { headers: { cookie } });
      const text = await response.text();
      table.note(`cookie: ${name}`, `${response.status}, not signed in`);
      expect(response.status).to.be.oneOf([200, 400]);
      expect(text).to.not.include('"authenticated":true');
    });
  }

  it('cookies: a session fixed beforehand is not the one that is signed in', async () => {
    const browser = new FormBrowser();
    const fixed = 'fixed-by-an-attacker-0000000000000000000000';
    browser.setCookie(at('/'), 'upsilon-session', fixed);
    browser.setCookie(at('/'), 'upsilon-browser', fixed);
    await browser.submit(await browser.get(at('/login')), '/login/development', { name: 'fixated' });
    expect(await signedIn(browser)).to.equal(true);
    expect(browser.cookie(at('/'), 'upsilon-session')).to.not.equal(fixed);
    const thief = new FormBrowser();
    thief.setCookie(at('/'), 'upsilon-session', fixed);
    expect(await signedIn(thief)).to.equal(false);
    table.note('cookie: a session fixed beforehand', 'another one after signing in');
  });

  it('CSRF: signing in by a form of another site is refused', async () => {
    const browser = new FormBrowser();
    const page = await browser.get(at('/login'));
    const fields = new URLSearchParams({ csrf: csrfIn(page.text), name: 'attacker' });
    const { status } = await browser.post(at('/login/development'), fields, { origin: 'https://attacker.example' });
    table.note('CSRF: signing in as the attacker', String(status));
    expect(status).to.equal(403);
    expect(await signedIn(browser)).to.equal(false);
  });

  for (const [name, changes] of [
    ['redirect to another site', { redirect_uri: EVIL }],
    ['redirect to a name that begins like ours', { redirect_uri: 'http://127.0.0.1.attacker.example/callback' }],
    ['redirect with a user in front', { redirect_uri: 'http://127.0.0.1:49152@attacker.example/callback' }],
    ['redirect to a script', { redirect_uri: 'javascript:alert(1)' }],
    ['redirect with a path that climbs', { redirect_uri: 'http://127.0.0.1:49152/callback/../../x' }],
    ['an unregistered client', { client_id: 'attacker' }],
    ['a query operator for a client', { client_id: '{"$ne":null}' }],
    ['__proto__ for a client', { client_id: '__proto__' }],
  ] as const) {
    it(`authorization: ${name} leads nowhere`, async () => {
      const { url } = await beginRequest(app(), changes);
      const response = await fetch(url, { redirect: 'manual' });
      table.note(`authorize: ${name}`, String(response.status));
      expect(response.status).to.equal(400);
      expect(response.headers.get('location')).to.equal(null);
      expect(await response.text()).to.not.include('attacker.example');
    });
  }

  for (const [name, changes] of [
    ['PKCE left out', { code_challenge: '', code_challenge_method: '' }],
    [
      'PKCE in plain text',
      { code_challenge: 'plain-text-challenge-of-enough-characters-00', code_challenge_method: 'plain' },
    ],
    ['a token without a code', { response_type: 'token' }],
    ['an audience of somebody else', { resource: 'https://attacker.example/' }],
    ['a request by reference', { request_uri: 'http://127.0.0.1:1/request' }],
    ['an unsigned request', { request: 'eyJhbGciOiJub25lIn0.e30.' }],
    ['a scope that is none', { scope: `openid ${'x'.repeat(500)}` }],
    ['line breaks in the state', { state: `x${LINE_BREAKS}` }],
  ] as const) {
    it(`authorization: ${name} gets no code`, async () => {
      const { url } = await beginRequest(app(), changes);
      const response = await fetch(url, { redirect: 'manual' });
      const location = response.headers.get('location') ?? '';
      table.note(`authorize: ${name}`, outcomeOf(response.status, location));
      expect(response.status).to.be.below(500);
      expect(location).to.not.match(/[?&]code=/);
      expect(response.headers.get('x-injected')).to.equal(null);
      expect(response.headers.get('set-cookie') ?? '').to.not.include('stolen');
    });
  }

  /** The token endpoint's response to a form. */
  async function ask(fields: Record<string, string>, headers: Record<string, string> = {}): Promise<string> {
    const body = new URLSearchParams({ client_id: CLIENT, ...fields });
    const response = await fetch(at('/oauth/token'), { method: 'POST', headers, body });
    const answer: { readonly error?: string; readonly access_token?: string } = JSON.parse(await response.text());
    return `${response.status} ${answer.error ?? (answer.access_token === undefined ? '' : 'a token')}`;
  }

  async function codeOf(name: string): Promise<string> {
    const browser = new FormBrowser();
    browser.stops.push(app().redirectUri);
    const page = await signInAndAllow(browser, (await beginRequest(app())).url, name);
    return new URL(page.url).searchParams.get('code') ?? '';
  }

  for (const [name, fields] of [
    ['a code that was intercepted, without its verifier', async () => ({ code: await codeOf('intercepted') })],
    [
      'a code that was intercepted, with another verifier',
      async () => ({ code: await codeOf('intercepted'), code_verifier: 'v'.repeat(43) }),
    ],
    [
      'a code of another client',
      async () => ({ code: await codeOf('other-client'), code_verifier: 'v'.repeat(43), client_id: 'upsilon-mcp' }),
    ],
    ['a made-up code', async () => ({ code: 'made-up', code_verifier: 'v'.repeat(43) })],
    ['a query operator for a code', async () => ({ 'code[$ne]': 'x', code_verifier: 'v'.repeat(43) })],
    ['JSON for a code', async () => ({ code: '{"$gt":""}', code_verifier: 'v'.repeat(43) })],
    ['a made-up refresh token', async () => ({ grant_type: 'refresh_token', refresh_token: 'made-up' })],
    ['JSON for a refresh token', async () => ({ grant_type: 'refresh_token', refresh_token: '{"$ne":null}' })],
    ['a made-up device code', async () => ({ grant_type: DEVICE_GRANT, device_code: 'made-up' })],
    ['a password', async () => ({ grant_type: 'password', username: 'victim', password: 'x' })],
    ['its own credentials', async () => ({ grant_type: 'client_credentials' })],
    ['__proto__ for a grant', async () => ({ grant_type: '__proto__' })],
  ] as const) {
    it(`tokens: ${name} gets none`, async () => {
      const common = { grant_type: 'authorization_code', redirect_uri: app().redirectUri };
      const outcome = await ask({ ...common, ...(await fields()) });
      table.note(`token: ${name}`, outcome);
      expect(outcome).to.match(/^40[01] [a-z_]+$/);
    });
  }

  it('tokens: a refresh token that was used twice gets none, and ends its grant', async () => {
    const tokens = await connectApp(app(), new FormBrowser(), 'robbed');
    const first = String(tokens.refresh_token);
    const grant = { grant_type: 'refresh_token', refresh_token: first };
    expect(await ask(grant)).to.equal('200 a token');
    // Once more within 30 seconds, for processes that share a sign-in.
    expect(await ask(grant)).to.equal('200 a token');
    const outcome = await ask(grant);
    table.note('token: a refresh token used twice before', outcome);
    expect(outcome).to.equal('400 invalid_grant');
  });

  for (const [name, status, path, fields, headers] of [
    ['userinfo without a token', 401, '/oauth/userinfo', {}, {}],
    ['userinfo with a forged token', 401, '/oauth/userinfo', {}, { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' }],
    ['userinfo with a token in the query', 401, '/oauth/userinfo?access_token=a.b.c', {}, {}],
    ['a device for an unregistered client', 401, '/oauth/device_authorization', { client_id: 'attacker' }, {}],
    ['a made-up user code', 400, '/oauth/device', { user_code: 'AAAA-AAAA' }, {}],
    ['a query operator for a user code', 400, '/oauth/device', { 'user_code[$ne]': 'x' }, {}],
    ['a confirmation without a request', 400, '/oauth/device', { user_code: 'AAAA-AAAA', confirm: 'yes' }, {}],
    ['revocation by an unregistered client', 401, '/oauth/revoke', { client_id: 'attacker', token: 'x' }, {}],
    ['an unknown interaction', 400, '/oauth/interaction/AAAAAAAAAAAAAAAAAAAAA', null, {}],
    ['an unknown interaction with a ticket', 400, '/oauth/interaction/AAAAAAAAAAAAAAAAAAAAA?ticket=x', null, {}],
    ['an interaction by a path that climbs', 404, '/oauth/interaction/..%2f..%2fme', {}, {}],
  ] as const) {
    it(`endpoints: ${name} gives nothing`, async () => {
      const sent = fields === null ? {} : { method: 'POST', body: new URLSearchParams({ ...fields }) };
      const response = await fetch(at(path), { ...sent, headers: { ...headers }, redirect: 'manual' });
      const text = await response.text();
      table.note(`endpoint: ${name}`, String(response.status));
      expect(response.status, text).to.equal(status);
      expect(text + (response.headers.get('location') ?? '')).to.not.match(/access_token"|device_code"|[?&]code=/);
    });
  }

  for (const [name, metadata, code, status = 400] of [
    ['a redirect to a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['a redirect with a fragment', { redirect_uris: ['https://app.example/cb#x'] }, 'invalid_redirect_uri'],
    [
      'keys at an address of ours',
      { redirect_uris: [EVIL], token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'http://127.0.0.1:1/jwks' },
      'invalid_client_metadata',
    ],
    [
      'a sector to ask',
      { redirect_uris: [EVIL], sector_identifier_uri: 'https://127.0.0.1:1/', subject_type: 'pairwise' },
      'invalid_client_metadata',
    ],
    ['query operators', { redirect_uris: [{ $ne: '' }] }, 'invalid_redirect_uri'],
    [
      'more addresses than a body holds',
      { redirect_uris: Array.from({ length: 9_000 }, () => EVIL) },
      'invalid_client_metadata',
      413,
    ],
  ] as const) {
    it(`registration: ${name} is refused`, async () => {
      const body = JSON.stringify({ token_endpoint_auth_method: 'none', ...metadata });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(at('/oauth/register'), { method: 'POST', headers, body });
      table.note(`register: ${name}`, String(response.status));
      const { error } = z.object({ error: z.string() }).parse(await response.json());
      expect([response.status, error]).to.deep.equal([status, code]);
    });
  }

  for (const [name, headers] of [
    ['the host of another', { 'x-forwarded-host': 'attacker.example', 'x-forwarded-proto': 'https' }],
    ['another address', { 'x-original-url': '/account', 'x-rewrite-url': '/account' }],
    ['another method', { 'x-http-method-override': 'DELETE' }],
    ['another way there', { forwarded: 'host=attacker.example;proto=https' }],
  ] as const) {
    it(`headers: ${name} changes no address in an answer`, async () => {
      const response = await fetch(at('/.well-known/openid-configuration'), { headers });
      const text = await response.text();
      const login = await (await fetch(at('/login'), { headers })).text();
      table.note(`headers: ${name}`, String(response.status));
      expect(response.status).to.equal(200);
      expect(text + login).to.not.include('attacker.example');
    });
  }
});

function csrfIn(text: string): string {
  return /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

function outcomeOf(status: number, location: string): string {
  if (!URL.canParse(location)) return String(status);
  const { searchParams, hash } = new URL(location);
  const error = searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error');
  return `${status} ${error ?? ''}`.trim();
}
