import { expect } from 'chai';
import { generateKeyPair } from 'jose';
import { createOidc } from '../../../../api/auth/sign-in/oidc-upstream.ts';
import { HOUR_MS } from '../../../../config/units.ts';
import { FormBrowser, type VisitedPage } from '../../../support/form-browser.ts';
import { openIdentityService } from '../../../support/identity-service.ts';
import { OpenIdProvider } from '../../../support/openid-provider.ts';
import { useFixture } from '../../../support/use-fixture.ts';

describe('sign-in by a provider of OpenID Connect', () => {
  const provider = useFixture(() => OpenIdProvider.open());
  const service = useFixture(() =>
    openIdentityService({
      env: (port) => provider().register(`http://localhost:${port}/auth/callback`),
    }),
  );

  beforeEach(() => {
    service().ahead += HOUR_MS;
  });

  afterEach(() => {
    [provider().refuses, provider().isDown, provider().signer] = [false, false, null];
    provider().alterClaims = (claims) => claims;
    provider().alterMetadata = (metadata) => metadata;
  });

  const at = (path: string): string => `${service().origin}${path}`;

  function employ(sub: string, email = `${sub}@work.example`): void {
    provider().person = { sub, preferred_username: sub, email, email_verified: true };
  }

  async function signIn(browser = new FormBrowser(), start = '/login'): Promise<VisitedPage> {
    const page = await browser.submit(await browser.get(at(start)), '/login/oidc');
    const address = /^0; url=(.+)$/.exec(page.headers.get('refresh') ?? '')?.[1];
    return address === undefined ? page : browser.get(address);
  }

  async function sessionOf(browser: FormBrowser): Promise<Record<string, unknown>> {
    return JSON.parse((await browser.get(at('/api/auth/session'))).text);
  }

  it('is offered under its name, and asks with PKCE, a state and a nonce', async () => {
    employ('asked');
    expect((await new FormBrowser().get(at('/login'))).text).to.include('Continue with Example Works');
    await Promise.all([signIn(), signIn()]);
    const [first, second] = provider().requests.slice(-2);
    expect(first?.get('code_challenge_method')).to.equal('S256');
    expect(first?.get('scope')).to.equal('openid profile email');
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(first?.get(name)).to.have.length.of.at.least(22).and.not.equal(second?.get(name));
    }
  });

  it('knows a person by issuer and subject, whatever the address', async () => {
    employ('known');
    const first = new FormBrowser();
    expect(new URL((await signIn(first)).url).pathname).to.equal('/account');
    const { operator, provider: way } = await sessionOf(first);
    expect(way).to.equal('oidc');
    const identity = await service().connection.collection('identities').findOne({ email: 'known@work.example' });
    expect(identity?.['_id']).to.equal(`oidc:${provider().issuer}|known`);
    employ('known', 'renamed@work.example');
    const second = new FormBrowser();
    await signIn(second);
    expect((await sessionOf(second))['operator']).to.deep.equal(operator);
    employ('stranger', 'renamed@work.example');
    const third = new FormBrowser();
    expect((await signIn(third)).text)
      .to.include('Example Works: stranger')
      .and.include('is not connected to it yet');
    expect(await sessionOf(third)).to.include({ authenticated: false });
  });

  it('takes no address that the provider has not verified', async () => {
    employ('unverified');
    provider().person = { ...provider().person, email_verified: false };
    expect((await signIn()).text).to.include('None of your ways to sign in has a verified address');
  });

  it('is added to an account, shown there and removed', async () => {
    const browser = new FormBrowser();
    await browser.submit(await browser.get(at('/login')), '/login/development', { name: 'employee' });
    employ('added');
    const account = await signIn(browser, '/account');
    expect(account.text).to.include('Example Works: added').and.include('verified added@work.example');
    const removed = await browser.submit(account, '/account/unlink', { identity: `oidc:${provider().issuer}|added` });
    expect(removed.text).to.not.include('Example Works: added');
  });

  it('says so when the person denies it', async () => {
    provider().refuses = true;
    const page = await signIn();
    expect(page.status).to.equal(400);
    expect(page.text).to.include('Example Works refused the sign-in');
  });

  const past = Math.floor(Date.now() / 1_000) - 3_600;
  for (const [what, alter] of [
    ['another nonce', (claims) => ({ ...claims, nonce: 'another' })],
    ['no nonce', (claims) => ({ ...claims, nonce: undefined })],
    ['another audience', (claims) => ({ ...claims, aud: 'another-client' })],
    ['another issuer', (claims) => ({ ...claims, iss: 'https://other.example' })],
    ['a past expiry', (claims) => ({ ...claims, iat: past, exp: past + 60 })],
    ['no expiry', (claims) => ({ ...claims, exp: undefined })],
    ['no subject', (claims) => ({ ...claims, sub: undefined })],
    ['another subject than the UserInfo endpoint', (claims) => ({ ...claims, sub: 'somebody-else' })],
  ] as const satisfies readonly (readonly [string, OpenIdProvider['alterClaims']])[]) {
    it(`refuses an ID token with ${what}`, async () => {
      employ('altered');
      provider().alterClaims = alter;
      await expectFailure();
    });
  }

  it('refuses an ID token that the provider did not sign, and a response without one', async () => {
    employ('forged');
    provider().signer = (await generateKeyPair('RS256')).privateKey;
    await expectFailure();
    provider().signer = null;
    provider().alterClaims = () => null;
    await expectFailure();
  });

  it('fails with a page while the provider is down, before the browser leaves and after it is back', async () => {
    const browser = new FormBrowser();
    browser.stops.push(at('/auth/callback'));
    const back = (await signIn(browser)).url;
    browser.stops.length = 0;
    provider().isDown = true;
    expect((await browser.get(back)).status).to.equal(502);
    service().ahead += HOUR_MS;
    await expectFailure();
    provider().isDown = false;
    expect(new URL((await signIn()).url).pathname).to.equal('/account');
  });

  async function expectFailure(): Promise<void> {
    const browser = new FormBrowser();
    const page = await signIn(browser);
    expect(page.status).to.equal(502);
    expect(page.text).to.include('Example Works did not respond as expected');
    expect(await sessionOf(browser)).to.include({ authenticated: false });
  }

  describe('whose metadata', () => {
    const redirectUri = 'http://127.0.0.1:49152/auth/callback';
    const attempt = { state: 'a-state', verifier: 'v'.repeat(43), nonce: 'a-nonce' };

    function open(method?: 'client_secret_post') {
      const env = provider().register(redirectUri, method);
      const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, OIDC_NAME: name } = env;
      return createOidc({ issuer, clientId, clientSecret, name }, redirectUri, Date.now);
    }

    after(() => provider().register(at('/auth/callback')));

    for (const [what, change] of [
      ['are of another issuer', { issuer: 'https://other.example' }],
      ['name an endpoint that is neither https nor on this machine', { token_endpoint: 'http://10.0.0.7/token' }],
      ['name no keys', { jwks_uri: undefined }],
      ['have more than a MiB', { padding: 'x'.repeat(1024 * 1024) }],
    ] as const) {
      it(`${what} are refused`, async () => {
        provider().alterMetadata = (metadata) => ({ ...metadata, ...change });
        const upstream = open();
        expect(await upstream.authorizationUrl(attempt).catch((error: unknown) => error)).to.be.instanceOf(Error);
        provider().alterMetadata = (metadata) => metadata;
        expect(await upstream.authorizationUrl(attempt)).to.include(`${provider().issuer}/auth?`);
      });
    }

    it('ask for the secret in the body get it there', async () => {
      employ('by-post');
      const upstream = open('client_secret_post');
      const browser = new FormBrowser();
      browser.stops.push(redirectUri);
      const { url } = await browser.get(await upstream.authorizationUrl(attempt));
      expect(await upstream.finish(new URL(url), attempt)).to.deep.equal({
        provider: 'oidc',
        subject: `${provider().issuer}|by-post`,
        label: 'by-post',
        verifiedEmail: 'by-post@work.example',
      });
    });
  });
});
