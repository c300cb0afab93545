import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import * as oidc from 'openid-client';
import type { Page } from 'playwright-core';
import { processEnvironment } from '../../config/env.ts';
import { freePort } from '../../ops/local/free-port.ts';
import { type IdentityService, openIdentityService } from '../support/identity-service.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { beginRequest, type OAuthApp, openApp } from '../support/oauth-app.ts';
import { OpenIdProvider } from '../support/openid-provider.ts';
import { UpstreamServer, withUpstreams } from '../support/upstream-server.ts';
import { useFreshFixture } from '../support/use-fixture.ts';
import { openChromium } from './open-chromium.ts';

/** Where pictures of the pages go; none are made without it. */
const pictures = processEnvironment()['PICTURES_DIR'];

const CODENAME = /^[A-Za-z0-9][A-Za-z0-9-]{1,30}[A-Za-z0-9]$/;

describe('sign-in in Chromium, without scripts', () => {
  let service: IdentityService;
  let mail: MailServer;
  let upstream: UpstreamServer;
  let provider: OpenIdProvider;
  let app: OAuthApp;
  let callback: Server;
  const chromium = useFreshFixture(openChromium);
  let page: Page;

  before(async () => {
    const [mailPort, upstreamPort, callbackPort] = [await freePort(), await freePort(), await freePort()];
    mail = await openMailServer(mailPort);
    provider = await OpenIdProvider.open();
    service = await openIdentityService({
      env: (port) => ({
        SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
        ...provider.register(`http://localhost:${port}/auth/callback`),
      }),
      change: withUpstreams(upstreamPort),
    });
    upstream = await UpstreamServer.open(upstreamPort, `${service.origin}/auth/callback`);
    callback = createServer((_request, response) => response.end('back at the app'));
    await new Promise<void>((resolve) => callback.listen(callbackPort, '127.0.0.1', resolve));
    app = { ...(await openApp(service.config.authUrl)), redirectUri: `http://127.0.0.1:${callbackPort}/callback` };
  });

  after(async () => {
    await service.close();
    await upstream.close();
    await provider[Symbol.asyncDispose]();
    await mail.close();
    callback.closeAllConnections();
    await new Promise((resolve) => callback.close(resolve));
  });

  beforeEach(async () => {
    page = await chromium().context.newPage();
  });

  async function picture(name: string): Promise<void> {
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });
  }

  /** Allows the app's request, and returns its tokens. */
  async function allow(request: Awaited<ReturnType<typeof beginRequest>>): Promise<oidc.TokenEndpointResponse> {
    await page.getByRole('heading', { name: 'Allow Upsilon command-line tool?' }).waitFor();
    await picture('consent');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${app.redirectUri}**`);
    return request.finish(page.url());
  }

  async function codenameOf(token: string): Promise<unknown> {
    const response = await fetch(`${service.config.baseUrl}/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).to.equal(200);
    return Reflect.get(Object(await response.json()), 'codename');
  }

  it('by a mailed link, on to an app and its token', async () => {
    const request = await beginRequest(app);
    await page.goto(request.url);
    await picture('login');
    await page.getByLabel('E-mail address').fill('visitor@example.com');
    await page.getByRole('button', { name: 'E-mail me a sign-in link' }).click();
    await page.getByRole('heading', { name: 'Check your e-mail' }).waitFor();
    await picture('mailed');
    await page.goto(await mail.linkTo('visitor@example.com'));
    await picture('link');
    await page.getByRole('button', { name: 'Sign in' }).click();
    const { access_token } = await allow(request);
    await page.goto(`${service.origin}/account`);
    await picture('account');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal(await codenameOf(access_token));
    const cookies = await chromium().context.cookies(service.origin);
    expect(cookies.find(({ name }) => name === 'upsilon-session')).to.include({ httpOnly: true, sameSite: 'Lax' });
  });

  for (const [button, id] of [
    ['GitHub', 9001],
    ['X', 9002],
  ] as const) {
    it(`by ${button}, on to an app and its token`, async () => {
      upstream.person = { id, name: `person-${id}`, email: `p${id}@example.com`, emailVerified: true };
      const request = await beginRequest(app);
      await page.goto(request.url);
      await page.getByRole('button', { name: `Continue with ${button}` }).click();
      await page.getByRole('button', { name: 'Authorize' }).click();
      const { access_token } = await allow(request);
      await page.goto(`${service.origin}/account`);
      expect(await page.content()).to.include(`person-${id}`);
      expect(await codenameOf(access_token)).to.match(CODENAME);
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });
  }

  it('by an OpenID provider that leads on at once', async () => {
    const request = await beginRequest(app);
    await page.goto(request.url);
    await page.getByRole('button', { name: 'Continue with Example Works' }).click();
    const { access_token } = await allow(request);
    expect(await codenameOf(access_token)).to.match(CODENAME);
  });

  it('of a device by its code', async () => {
    const waiting = await oidc.initiateDeviceAuthorization(app.configuration, { scope: 'openid profile email' });
    await page.goto(waiting.verification_uri_complete ?? '');
    await picture('device-code');
    await page.getByRole('button', { name: 'Continue' }).click();
    await picture('device-confirm');
    await page.getByRole('button', { name: 'Yes, continue' }).click();
    upstream.person = { id: 9003, name: 'device-person', email: 'p9003@example.com', emailVerified: true };
    await page.getByRole('button', { name: 'Continue with GitHub' }).click();
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Your device is connected' }).waitFor();
    const tokens = await oidc.pollDeviceAuthorizationGrant(app.configuration, { ...waiting, interval: 0.2 });
    expect(await codenameOf(tokens.access_token)).to.match(CODENAME);
  });

  it('tells an app that its person refused', async () => {
    upstream.person = { id: 9004, name: 'refuser', email: 'p9004@example.com', emailVerified: true };
    await page.goto((await beginRequest(app)).url);
    await page.getByRole('button', { name: 'Continue with X' }).click();
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL(`${app.redirectUri}**`);
    expect(new URL(page.url()).searchParams.get('error')).to.equal('access_denied');
  });

  it('on a phone, in the dark, without a line that is too wide', async () => {
    const phone = await openChromium({ dark: true, phone: true });
    try {
      page = await phone.context.newPage();
      await page.goto(`${service.origin}/login`);
      await picture('login-phone-dark');
      const width = await page.locator('main').evaluate((main) => main.scrollWidth);
      expect(width).to.be.at.most(390);
    } finally {
      await phone.close();
    }
  });
});
