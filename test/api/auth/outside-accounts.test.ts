import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { freePort } from '../../../ops/local/free-port.ts';
import { type IdentityService, openIdentityService } from '../../support/identity-service.ts';
import { makeDeviceKey, makeSubmission } from '../../support/signing.ts';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

/** The claims of a token about a verified address. */
const verified = (email: string) => ({ email, email_verified: true });

const AUTHORIZE = 'https://id.example/authorize';
const TOKEN = 'https://id.example/token';

async function readJson(origin: string, path: string): Promise<unknown> {
  return JSON.parse(await (await fetch(origin + path)).text());
}

describe('an outside identity provider', () => {
  let service: IdentityService;
  let provider: Server;
  /** Ends in a slash, as those of some providers do. */
  let issuer: string;
  let reads = 0;
  const keys = new Map<string, KeyPair>();

  before(async () => {
    keys.set('first', await generateKeyPair('ES256', { extractable: true }));
    const port = await freePort();
    issuer = `http://127.0.0.1:${port}/tenant/`;
    provider = createServer((request, response) => {
      void (async () => {
        reads += 1;
        const published = await Promise.all(
          Array.from(keys, async ([kid, { publicKey }]) => ({ ...(await exportJWK(publicKey)), kid, alg: 'ES256' })),
        );
        const body =
          request.url === '/tenant/.well-known/openid-configuration'
            ? {
                issuer,
                jwks_uri: `${issuer}keys`,
                authorization_endpoint: AUTHORIZE,
                token_endpoint: TOKEN,
                more: true,
              }
            : { keys: published };
        response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
      })();
    });
    await new Promise<void>((resolve) => provider.listen(port, '127.0.0.1', resolve));
    service = await openIdentityService({
      env: () => ({ ISSUER: issuer, ENFORCE_PLAN: 'on', CONTACT: 'mailto:help@upsilon.example' }),
    });
  });

  after(async () => {
    await service.close();
    provider.closeAllConnections();
    await new Promise((resolve) => provider.close(resolve));
  });

  async function tokenOf(subject: string, claims: Record<string, unknown> = {}): Promise<string> {
    const pair = keys.get('first');
    if (pair === undefined) throw new Error('no key');
    return new SignJWT({ scope: 'openid profile email', ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'first' })
      .setIssuer(issuer)
      .setAudience(service.config.baseUrl)
      .setSubject(subject)
      .setIssuedAt()
      .setExpirationTime('10m')
      .sign(pair.privateKey);
  }

  async function me(subject: string, claims: Record<string, unknown> = {}) {
    const token = await tokenOf(subject, claims);
    const response = await fetch(`${service.config.baseUrl}/me`, { headers: { authorization: `Bearer ${token}` } });
    const json: Record<string, unknown> = JSON.parse(await response.text());
    return { status: response.status, json };
  }

  it('vouches for people, who are operators from the first time on', async () => {
    const first = await me('subject-1', { email: 'one@example.com', email_verified: true });
    expect(first).to.deep.include({ status: 200 });
    expect(first.json).to.include({ plan: 'free', email: 'one@example.com' });
    expect((await me('subject-1')).json['codename']).to.equal(first.json['codename']);
    const account = await service.accounts.identities.accountOf('outside', `${issuer}|subject-1`);
    const events = await service.accounts.audit.list(account?.operator ?? 0, 10);
    expect(events.map(({ kind }) => kind)).to.deep.equal(['signed_in', 'operator_created']);
    expect((await me('subject-2')).json['codename']).to.not.equal(first.json['codename']);
  });

  it('vouches for the address of the newest token, and not for an account that has it', async () => {
    const owner = await me('subject-20', verified('former@example.com'));
    expect((await me('subject-20', verified('newer@example.com'))).json).to.include({
      codename: owner.json['codename'],
      email: 'newer@example.com',
    });
    const next = await me('subject-21', verified('former@example.com'));
    expect(next.json).to.include({ email: 'former@example.com' });
    expect(next.json['codename']).to.not.equal(owner.json['codename']);
    const other = await me('subject-22', verified('newer@example.com'));
    expect(other.json).to.include({ email: null });
    expect(other.json['codename']).to.not.equal(owner.json['codename']);
  });

  it('vouches for no address that it has not verified', async () => {
    const unverified = { email: 'unverified@example.com', email_verified: false };
    expect((await me('subject-23', unverified)).json).to.include({ email: null });
  });

  it('issues no tokens here that are bound to a key', async () => {
    const { status, json } = await me('subject-24', { cnf: { jkt: 'thumbprint' } });
    expect({ status, code: json['code'] }).to.deep.equal({ status: 401, code: 'token_invalid' });
  });

  it('issues tokens that end when their operator is denied under our name of it', async () => {
    expect((await me('subject-25')).status).to.equal(200);
    const account = await service.accounts.identities.accountOf('outside', `${issuer}|subject-25`);
    await service.accounts.denials.denySubject(account?.subject ?? '');
    service.ahead += 5_000;
    expect((await me('subject-25')).json).to.include({ code: 'token_invalid' });
  });

  it('makes one operator of many first requests at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => me('subject-3')));
    expect(new Set(answers.map(({ json }) => json['codename'])).size).to.equal(1);
  });

  it('is asked for its keys now and then, not for every token', async () => {
    const before = reads;
    for (let index = 0; index < 5; index += 1) await me(`subject-${10 + index}`);
    expect(reads - before).to.be.at.most(1);
  });

  it('cannot be imitated by our own keys', async () => {
    const token = await service.accounts.signingKeys.mintAccessToken({
      subject: 'subject-1',
      scope: 'openid profile email',
      audience: service.config.baseUrl,
      issuer,
      lifetimeSeconds: 600,
    });
    const response = await fetch(`${service.config.baseUrl}/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).to.equal(401);
  });

  it('names the client of a token, without which it may not change an account', async () => {
    for (const [claims, status] of [
      [{}, 403],
      [{ client_id: 'another-app' }, 403],
      [{ client_id: 'upsilon-cli' }, 200],
      [{ azp: 'upsilon-cli' }, 200],
    ] as const) {
      const response = await fetch(`${service.config.baseUrl}/me`, {
        method: 'PATCH',
        headers: {
          authorization: `Bearer ${await tokenOf('subject-27', claims)}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ display_name: null }),
      });
      expect(response.status, JSON.stringify(claims)).to.equal(status);
    }
  });

  it('has operators who need a plan, and are not sent to pages that are not there', async () => {
    const { json } = await me('subject-26');
    const counts = { codename: String(json['codename']), input: 1, output: 1, cache_read: 1, cache_write: 1 };
    const response = await fetch(`${service.config.baseUrl}/snapshots`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await tokenOf('subject-26')}`, 'content-type': 'application/json' },
      body: JSON.stringify(makeSubmission(makeDeviceKey(), counts, { iat: Math.floor(Date.now() / 1_000) })),
    });
    const problem: Record<string, unknown> = JSON.parse(await response.text());
    expect(problem).to.include({ status: 402, code: 'plan_required' });
    expect(problem['detail']).to.match(/requires a paid plan: 5\.00 USD a month\.$/);
  });

  it('is found at our addresses, by its own documents', async () => {
    for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
      const metadata = await readJson(service.origin, path);
      expect(metadata, path).to.include({
        issuer,
        authorization_endpoint: AUTHORIZE,
        token_endpoint: TOKEN,
        more: true,
      });
    }
    const keysRead = await readJson(service.origin, '/.well-known/jwks.json');
    expect(keysRead).to.have.property('keys').with.length(1);
    expect(keysRead).to.have.nested.property('keys[0].kid', 'first');
    const flow = 'components.securitySchemes.oauth2.flows.authorizationCode';
    const description = await readJson(service.origin, '/openapi.json');
    expect(description).to.have.nested.property(`${flow}.authorizationUrl`, AUTHORIZE);
    expect(description).to.have.nested.property(`${flow}.tokenUrl`, TOKEN);
  });

  it('is where sign-in leads, which leaves no session here', async () => {
    const page = await fetch(`${service.origin}/login`);
    expect(page.status).to.equal(200);
    expect(await page.text()).to.include('<a href="https://id.example">id.example</a>');
    for (const [method, path, status, location] of [
      ['GET', '/login?client_id=an-app&state=1', 303, `${AUTHORIZE}?client_id=an-app&state=1`],
      ['GET', '/oauth/authorize?client_id=an-app', 303, `${AUTHORIZE}?client_id=an-app`],
      ['POST', '/oauth/token', 307, TOKEN],
      ['GET', '/auth/callback?code=1&state=1', 303, `${service.config.loginUrl}/login`],
    ] as const) {
      const answer = await fetch(`${service.origin}${path}`, { method, redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')], path).to.deep.equal([status, location]);
    }
    const session = await fetch(`${service.origin}/api/auth/session`);
    expect(await session.json()).to.include({ authenticated: false, login_url: `${service.config.loginUrl}/login` });
    expect((await fetch(`${service.origin}/account`)).status).to.equal(404);
    expect(await (await fetch(service.origin)).text()).to.not.include('>Account</a>');
  });

  it('is named in the metadata', async () => {
    const response = await fetch(`${service.origin}/.well-known/oauth-protected-resource`);
    expect(await response.json()).to.deep.include({ authorization_servers: [issuer] });
  });

  it('does not let a suspended operator in', async () => {
    await me('subject-9');
    const account = await service.accounts.identities.accountOf('outside', `${issuer}|subject-9`);
    await service.accounts.suspend(account?.operator ?? 0, true);
    service.ahead += 5_000;
    expect((await me('subject-9')).json).to.include({
      code: 'account_suspended',
      hint: 'Ask the people who run this service: help@upsilon.example',
    });
  });
});
