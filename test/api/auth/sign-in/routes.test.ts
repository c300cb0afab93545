import { expect } from 'chai';
import { ResponseBodyError, refreshTokenGrant } from 'openid-client';
import { FormBrowser } from '../../../support/form-browser.ts';
import { connectApp, openApp } from '../../../support/oauth-app.ts';
import { SignInWorld } from '../../../support/sign-in-world.ts';
import { useFixture } from '../../../support/use-fixture.ts';

describe('sign-in', () => {
  const world = useFixture(() => SignInWorld.open());

  beforeEach(() => world().nextHour());

  describe('sessions', () => {
    it('are in cookies that scripts and other sites do not get', async () => {
      const browser = new FormBrowser();
      const form = await browser.get(await world().askForLink(browser, 'cookies@example.com'));
      const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(form.text) ?? [];
      const [, token = ''] = /name="token" value="([^"]+)"/.exec(form.text) ?? [];
      const response = await fetch(world().at('/login/link'), {
        method: 'POST',
        redirect: 'manual',
        headers: {
          cookie: `upsilon-browser=${browser.cookie(world().at(), 'upsilon-browser')}`,
          origin: world().service.origin,
        },
        body: new URLSearchParams({ csrf, token }),
      });
      const line = response.headers.getSetCookie().find((cookie) => cookie.startsWith('upsilon-session='));
      const [, maxAge] = /; Path=\/; Max-Age=(\d+); HttpOnly; SameSite=Lax$/.exec(line ?? '') ?? [];
      expect(Number(maxAge), line).to.be.within(30 * 86_400 - 60, 30 * 86_400);
    });

    it('end here, and everywhere, with the tokens of apps', async () => {
      const [first, second, copy] = [new FormBrowser(), new FormBrowser(), new FormBrowser()];
      await world().signInByMail(first, 'leaver@example.com');
      await world().signInByMail(second, 'leaver@example.com');
      copy.setCookie(world().at(), 'upsilon-session', first.cookie(world().at(), 'upsilon-session') ?? '');
      expect(await world().sessionOf(copy)).to.include({ authenticated: true });
      const app = await openApp(world().service.config.authUrl);
      const { refresh_token = '' } = await connectApp(app, second, 'signed in already');
      await first.submit(await first.get(world().at('/account')), '/account/sign-out');
      for (const browser of [first, copy]) {
        expect(await world().sessionOf(browser)).to.include({ authenticated: false });
      }
      expect(await world().sessionOf(second)).to.include({ authenticated: true });
      await world().signInByMail(first, 'leaver@example.com');
      await first.submit(await first.get(world().at('/account')), '/account/sign-out-everywhere');
      expect(await world().sessionOf(second)).to.include({ authenticated: false });
      const refused = await refreshTokenGrant(app.configuration, refresh_token).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(ResponseBodyError).with.property('error', 'invalid_grant');
    });

    it('and what was begun before them end when the browser signs in again', async () => {
      const browser = new FormBrowser();
      await world().signInByMail(browser, 'again@example.com');
      const former = new FormBrowser();
      for (const name of ['upsilon-session', 'upsilon-browser']) {
        former.setCookie(world().at(), name, browser.cookie(world().at(), name) ?? '');
      }
      expect(await world().sessionOf(former)).to.include({ authenticated: true });
      const begun = await world().askForLink(former, 'again@example.com', world().at('/login?fresh=1'));
      const other = await world().askForLink(browser, 'other@example.com', world().at('/login?fresh=1'));
      await browser.submit(await browser.get(other), '/login/link');
      expect(await world().sessionOf(former)).to.include({ authenticated: false });
      expect((await browser.get(begun)).status).to.equal(400);
    });

    it('are answered to their browser only, by no cache', async () => {
      const { headers } = await new FormBrowser().get(world().at('/api/auth/session'));
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(headers.get('cross-origin-resource-policy')).to.equal('same-origin');
    });

    it('end by themselves', async () => {
      const browser = new FormBrowser();
      await world().signInByMail(browser, 'month@example.com');
      world().service.ahead += 30 * 24 * 60 * 60_000;
      expect(await world().sessionOf(browser)).to.include({ authenticated: false });
    });

    it('change nothing for forms that are not ours', async () => {
      const browser = new FormBrowser();
      await world().signInByMail(browser, 'csrf@example.com');
      const page = await browser.get(world().at('/account'));
      const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page.text) ?? [];
      const other = new FormBrowser();
      const [, foreign = ''] = /name="csrf" value="([^"]+)"/.exec((await other.get(world().at())).text) ?? [];
      const attempts: readonly (readonly [string, Record<string, string>])[] = [
        ['', {}],
        ['x', {}],
        [foreign, {}],
        [csrf, { origin: 'https://evil.example' }],
        [csrf, { origin: 'null' }],
        [csrf, { 'sec-fetch-site': 'cross-site' }],
        [csrf, { 'content-type': 'text/plain' }],
      ];
      for (const [token, headers] of attempts) {
        const answer = await browser.post(
          world().at('/account/sign-out'),
          new URLSearchParams({ csrf: token }),
          headers,
        );
        expect(answer.status).to.equal(403);
      }
      const padded = new URLSearchParams({ csrf, padding: 'x'.repeat(16 * 1_024) });
      expect((await browser.post(world().at('/account/sign-out'), padded)).status).to.equal(403);
      expect(await world().sessionOf(browser)).to.include({ authenticated: true });
    });
  });

  describe('pages', () => {
    it('lead to no other site', async () => {
      const browser = new FormBrowser();
      await world().signInByMail(browser, 'redirected@example.com');
      for (const next of [
        'https://evil.example/',
        '//evil.example/',
        '/\\evil.example',
        '/..//evil.example/',
        '/.//evil.example/',
        '/a/..//evil.example/',
        '/%2e%2e//evil.example/',
        'javascript:alert(1)',
        'https://evil.example@localhost/',
        '/%0d%0aLocation:x',
        'http:evil.example',
      ]) {
        const page = await browser.get(`${world().at()}?next=${encodeURIComponent(next)}`);
        expect(new URL(page.url).origin, next).to.equal(world().service.origin);
      }
    });

    it('lead on to where the visit came from', async () => {
      const browser = new FormBrowser();
      const link = await world().askForLink(
        browser,
        'onward@example.com',
        `${world().at()}?next=${encodeURIComponent('/methodology?a=1')}`,
      );
      const page = await browser.submit(await browser.get(link), '/login/link');
      expect(page.url).to.equal(world().at('/methodology?a=1'));
    });

    it('cannot be framed, cached or made to send forms elsewhere', async () => {
      const { headers } = await new FormBrowser().get(world().at());
      expect(headers.get('x-frame-options')).to.equal('DENY');
      expect(headers.get('content-security-policy')).to.match(
        /^default-src 'none'; .*form-action 'self' .*frame-ancestors 'none'; base-uri 'none'$/,
      );
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(headers.get('cross-origin-opener-policy')).to.equal('same-origin');
      expect(headers.get('access-control-allow-origin')).to.equal(null);
    });

    it('give browsers patterns that those can compile', async () => {
      const { text } = await new FormBrowser().get(world().at());
      const patterns = Array.from(text.matchAll(/ pattern="([^"]+)"/g), ([, pattern = '']) => pattern);
      expect(patterns).to.have.length(1);
      for (const pattern of patterns) expect('test-lantern').to.match(new RegExp(`^(?:${pattern})$`, 'v'));
    });
  });

  it('leads from an address with a slash at its end to the page, with the query, and nowhere else', async () => {
    for (const [path, location] of [
      ['/login/', '/login'],
      ['/account/?a=b', '/account?a=b'],
    ] as const) {
      const answer = await fetch(world().at(path), { redirect: 'manual' });
      expect(answer.status, path).to.equal(308);
      expect(new URL(answer.headers.get('location') ?? '', world().at()).href).to.equal(world().at(location));
    }
    for (const path of ['//login/', '/login//', '/login/email/', '/login/%2F']) {
      const { status } = await fetch(`${world().service.origin}${path}`, { redirect: 'manual' });
      expect(status, path).to.equal(404);
    }
  });

  it('keeps an audit log of it all', async () => {
    const browser = new FormBrowser();
    await world().signInByMail(browser, 'audited@example.com');
    await browser.submit(await browser.get(world().at('/account')), '/account/sign-out');
    const events = await world().service.accounts.audit.list(await world().operatorOf('audited@example.com'), 10);
    expect(events.map(({ kind }) => kind)).to.deep.equal(['signed_out', 'signed_in', 'operator_created']);
    expect(events[1]?.client).to.equal('127.0.0.1');
  });
});
