import { expect } from 'chai';
import { freePort } from '../../../ops/local/free-port.ts';
import { FormBrowser, type VisitedPage } from '../../support/form-browser.ts';
import { type IdentityService, openIdentityService } from '../../support/identity-service.ts';
import { type MailServer, openMailServer } from '../../support/mail-server.ts';
import { UpstreamServer, upstreamSettings } from '../../support/upstream-server.ts';

describe('sign-in', function () {
  this.timeout(60_000);
  let service: IdentityService;
  let mail: MailServer;
  let upstream: UpstreamServer;

  before(async () => {
    const [mailPort, upstreamPort] = [await freePort(), await freePort()];
    mail = await openMailServer(mailPort);
    service = await openIdentityService({
      env: () => ({ SMTP_URL: `smtp://127.0.0.1:${mailPort}`, ...upstreamSettings(upstreamPort) }),
    });
    upstream = await UpstreamServer.open(upstreamPort, `${service.origin}/auth/callback`);
  });

  after(async () => {
    await service.close();
    await upstream.close();
    await mail.close();
  });

  // A minute's quota is per window: tests that ask much move on to the next one.
  beforeEach(() => {
    service.ahead += 60 * 60_000;
  });

  const login = (path = '/login'): string => `${service.origin}${path}`;

  async function sessionOf(browser: FormBrowser): Promise<Record<string, unknown>> {
    const body: Record<string, unknown> = JSON.parse((await browser.get(login('/api/auth/session'))).text);
    return body;
  }

  async function askForLink(browser: FormBrowser, email: string, start = login()): Promise<string> {
    const address = email.toLowerCase();
    const before = mail.count(address);
    await browser.submit(await browser.get(start), '/login/email', { email });
    return mail.linkTo(address, before);
  }

  async function signInByMail(browser: FormBrowser, email: string): Promise<VisitedPage> {
    const link = await askForLink(browser, email);
    return browser.submit(await browser.get(link), '/login/link');
  }

  async function signInAt(browser: FormBrowser, name: 'github' | 'twitter', start = login()): Promise<VisitedPage> {
    const ask = await browser.submit(await browser.get(start), `/login/${name}`);
    const query = new URL(ask.url).search;
    return browser.get(`${new URL(ask.url).origin}/approve${query}`);
  }

  describe('by mail', () => {
    it('makes a free operator with a codename that can be said', async () => {
      const browser = new FormBrowser();
      expect(await sessionOf(browser)).to.deep.include({ authenticated: false, operator: null });
      const page = await signInByMail(browser, 'First.Person@Example.com');
      expect(new URL(page.url).pathname).to.equal('/account');
      const session = await sessionOf(browser);
      expect(session).to.include({ authenticated: true, provider: 'email_magic_link' });
      expect(session['operator'])
        .to.have.property('codename')
        .that.matches(/^[a-z]{6,13}-\d{3}$/);
      expect(session['operator']).to.include({ plan: 'free', display_name: null });
    });

    it('does nothing when a link is only looked at', async () => {
      const browser = new FormBrowser();
      const link = await askForLink(browser, 'scanned@example.com');
      for (let look = 0; look < 3; look += 1) {
        await fetch(link);
        await fetch(link, { method: 'HEAD' });
      }
      const page = await browser.submit(await browser.get(link), '/login/link');
      expect(new URL(page.url).pathname).to.equal('/account');
    });

    it('refuses a link that was used', async () => {
      const browser = new FormBrowser();
      const link = await askForLink(browser, 'twice@example.com');
      const form = await browser.get(link);
      await browser.submit(form, '/login/link');
      const again = await browser.get(link);
      expect(again.status).to.equal(400);
      expect(again.text).to.include('It was used before').and.to.include('Get a new one');
    });

    it('lets one of many use a link at the same moment', async () => {
      const browser = new FormBrowser();
      const form = await browser.get(await askForLink(browser, 'race@example.com'));
      const pages = await Promise.all(Array.from({ length: 8 }, () => browser.submit(form, '/login/link')));
      expect(pages.filter(({ url }) => url.endsWith('/account'))).to.have.length(1);
    });

    it('refuses a link that is late', async () => {
      const browser = new FormBrowser();
      const link = await askForLink(browser, 'late@example.com');
      const form = await browser.get(link);
      service.ahead += 15 * 60_000;
      const page = await browser.submit(form, '/login/link');
      expect(page.status).to.equal(400);
      expect(page.text).to.include('older than 15 minutes');
    });

    it('refuses a link in another browser, and leaves it good for its own', async () => {
      const own = new FormBrowser();
      const link = await askForLink(own, 'stolen@example.com');
      const thief = new FormBrowser();
      const shown = await thief.get(link);
      expect(shown.status).to.equal(400);
      expect(shown.text).to.include('Open the link where you asked for it');
      const form = await own.get(link);
      const token = new URL(link).searchParams.get('token') ?? '';
      const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await thief.get(login())).text) ?? [];
      const forced = await thief.post(login('/login/link'), new URLSearchParams({ csrf, token }));
      expect(forced.status).to.equal(400);
      expect(await sessionOf(thief)).to.include({ authenticated: false });
      expect(new URL((await own.submit(form, '/login/link')).url).pathname).to.equal('/account');
    });

    it('answers alike whether the address is known or not', async () => {
      await signInByMail(new FormBrowser(), 'known@example.com');
      const texts = await Promise.all(
        ['known@example.com', 'other@example.com'].map(async (email) => {
          const browser = new FormBrowser();
          const page = await browser.submit(await browser.get(login()), '/login/email', { email });
          return [page.status, page.text.replaceAll(email, 'ADDRESS').replace(/value="[^"]+"/g, '')];
        }),
      );
      expect(texts[0]).to.deep.equal(texts[1]);
    });

    it('mails one address a few times an hour, whoever asks, and says nothing of it', async () => {
      let page: VisitedPage | null = null;
      for (let asked = 0; asked < 7; asked += 1) {
        const browser = new FormBrowser();
        page = await browser.submit(await browser.get(login()), '/login/email', { email: 'flooded@example.com' });
      }
      expect(page?.status).to.equal(200);
      await mail.linkTo('flooded@example.com', 4);
      // What would come after the fifth would have come before this one.
      await askForLink(new FormBrowser(), 'marker@example.com');
      expect(mail.count('flooded@example.com')).to.equal(5);
    });

    it('lets one client ask for so many mails an hour', async () => {
      const browser = new FormBrowser();
      let last: VisitedPage | null = null;
      for (let asked = 0; asked < 11; asked += 1) {
        last = await browser.submit(await browser.get(login()), '/login/email', { email: `many-${asked}@example.com` });
      }
      expect(last?.status).to.equal(429);
      expect(last?.headers.get('retry-after')).to.match(/^\d+$/);
    });

    for (const email of [
      'nobody',
      'a b@example.com',
      'x@localhost',
      'x@-bad.example',
      '"q"@example.com',
      'a@b.example\r\nBcc: c@d.example',
    ]) {
      it(`mails nothing to ${JSON.stringify(email)}`, async () => {
        const browser = new FormBrowser();
        const page = await browser.submit(await browser.get(login()), '/login/email', { email });
        expect(page.status).to.equal(400);
      });
    }
  });

  describe('by an upstream', () => {
    it('signs in with GitHub, and with X', async () => {
      for (const [name, id] of [
        ['github', 501],
        ['twitter', 502],
      ] as const) {
        upstream.person = { id, name: `person-${id}`, email: `p${id}@example.com`, emailVerified: true };
        const browser = new FormBrowser();
        expect(new URL((await signInAt(browser, name)).url).pathname).to.equal('/account');
        expect(await sessionOf(browser)).to.include({ authenticated: true, provider: name });
        const asked = upstream.requests.find(({ pathname }) => pathname.endsWith('/authorize'));
        expect(asked?.searchParams.get('code_challenge_method')).to.equal('S256');
      }
    });

    it('joins accounts by a verified address, and by no other', async () => {
      const email = 'joined@example.com';
      const byMail = new FormBrowser();
      await signInByMail(byMail, email);
      const { operator } = await sessionOf(byMail);
      upstream.person = { id: 601, name: 'joiner', email: 'Joined@Example.com', emailVerified: true };
      const byGithub = new FormBrowser();
      await signInAt(byGithub, 'github');
      expect((await sessionOf(byGithub))['operator']).to.deep.equal(operator);
      upstream.person = { id: 602, name: 'pretender', email, emailVerified: false };
      for (const name of ['github', 'twitter'] as const) {
        const pretender = new FormBrowser();
        await signInAt(pretender, name);
        expect((await sessionOf(pretender))['operator']).to.not.deep.equal(operator);
      }
    });

    it('refuses a state of another browser, a second use, and a made-up one', async () => {
      upstream.person = { id: 701, name: 'stateful', email: 's@example.com', emailVerified: true };
      const browser = new FormBrowser();
      browser.stops.push(login('/auth/callback'));
      const ask = await browser.submit(await browser.get(login()), '/login/github');
      const back = (await browser.get(`${new URL(ask.url).origin}/approve${new URL(ask.url).search}`)).url;
      browser.stops.length = 0;
      expect((await new FormBrowser().get(back)).status).to.equal(400);
      expect(new URL((await browser.get(back)).url).pathname).to.equal('/account');
      expect((await browser.get(back)).status).to.equal(400);
      expect((await browser.get(login('/auth/callback?code=x&state=y'))).status).to.equal(400);
    });

    it('says so when the person refuses, or the upstream fails', async () => {
      const browser = new FormBrowser();
      upstream.refuses = true;
      const refused = await signInAt(browser, 'twitter');
      upstream.refuses = false;
      expect(refused.status).to.equal(400);
      expect(refused.text).to.include('X did not let you in');
      browser.stops.push(login('/auth/callback'));
      const ask = await browser.submit(await browser.get(login()), '/login/github');
      const state = new URL(ask.url).searchParams.get('state');
      browser.stops.length = 0;
      expect((await browser.get(login(`/auth/callback?code=made-up&state=${state}`))).status).to.equal(400);
    });

    it('adds ways to sign in to an account, and removes them, but not the last', async () => {
      const browser = new FormBrowser();
      await signInByMail(browser, 'links@example.com');
      const { operator } = await sessionOf(browser);
      upstream.person = { id: 801, name: 'linked', email: 'another@example.com', emailVerified: true };
      expect((await signInAt(browser, 'twitter', login('/account'))).text).to.include('X: @linked');
      const fresh = new FormBrowser();
      await signInAt(fresh, 'twitter');
      expect((await sessionOf(fresh))['operator']).to.deep.equal(operator);
      const page = await browser.get(login('/account'));
      const one = await browser.submit(page, '/account/unlink', { identity: 'email_magic_link:links@example.com' });
      expect(one.text).to.include('the only one').and.not.include('links@example.com');
      const last = await browser.submit(page, '/account/unlink', { identity: 'twitter:801' });
      expect(last.status).to.equal(409);
      const stranger = new FormBrowser();
      await signInByMail(stranger, 'links@example.com');
      expect((await sessionOf(stranger))['operator']).to.not.deep.equal(operator);
    });

    it('does not add what belongs to another account', async () => {
      upstream.person = { id: 901, name: 'owned', email: 'owned@example.com', emailVerified: true };
      await signInAt(new FormBrowser(), 'github');
      const browser = new FormBrowser();
      await signInByMail(browser, 'not-owner@example.com');
      const page = await signInAt(browser, 'github', login('/account'));
      expect(page.status).to.equal(409);
    });
  });

  describe('sessions', () => {
    it('are in cookies that scripts and other sites do not get', async () => {
      const browser = new FormBrowser();
      const form = await browser.get(await askForLink(browser, 'cookies@example.com'));
      const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(form.text) ?? [];
      const [, token = ''] = /name="token" value="([^"]+)"/.exec(form.text) ?? [];
      const response = await fetch(login('/login/link'), {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie: `upsilon-browser=${browser.cookie(login(), 'upsilon-browser')}`, origin: service.origin },
        body: new URLSearchParams({ csrf, token }),
      });
      const line = response.headers.getSetCookie().find((cookie) => cookie.startsWith('upsilon-session='));
      expect(line).to.match(/; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    });

    it('end here, and everywhere', async () => {
      const [first, second] = [new FormBrowser(), new FormBrowser()];
      await signInByMail(first, 'leaver@example.com');
      await signInByMail(second, 'leaver@example.com');
      await first.submit(await first.get(login('/account')), '/account/sign-out');
      expect(await sessionOf(first)).to.include({ authenticated: false });
      expect(await sessionOf(second)).to.include({ authenticated: true });
      await signInByMail(first, 'leaver@example.com');
      await first.submit(await first.get(login('/account')), '/account/sign-out-everywhere');
      expect(await sessionOf(second)).to.include({ authenticated: false });
    });

    it('end by themselves', async () => {
      const browser = new FormBrowser();
      await signInByMail(browser, 'month@example.com');
      service.ahead += 30 * 24 * 60 * 60_000;
      expect(await sessionOf(browser)).to.include({ authenticated: false });
    });

    it('change nothing for forms that are not ours', async () => {
      const browser = new FormBrowser();
      await signInByMail(browser, 'csrf@example.com');
      const page = await browser.get(login('/account'));
      const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page.text) ?? [];
      const other = new FormBrowser();
      const [, foreign = ''] = /name="csrf" value="([^"]+)"/.exec((await other.get(login())).text) ?? [];
      const attempts: readonly (readonly [string, Record<string, string>])[] = [
        ['', {}],
        ['x', {}],
        [foreign, {}],
        [csrf, { origin: 'https://evil.example' }],
        [csrf, { origin: 'null' }],
        [csrf, { 'sec-fetch-site': 'cross-site' }],
      ];
      for (const [token, headers] of attempts) {
        const answer = await browser.post(login('/account/sign-out'), new URLSearchParams({ csrf: token }), headers);
        expect(answer.status).to.equal(403);
      }
      expect(await sessionOf(browser)).to.include({ authenticated: true });
    });
  });

  describe('pages', () => {
    for (const next of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      'javascript:alert(1)',
      'https://evil.example@localhost/',
      '/%0d%0aLocation:x',
      'http:evil.example',
    ]) {
      it(`lead to no other site: ${next}`, async () => {
        const browser = new FormBrowser();
        await signInByMail(browser, 'redirected@example.com');
        const page = await browser.get(`${login()}?next=${encodeURIComponent(next)}`);
        expect(new URL(page.url).origin).to.equal(service.origin);
      });
    }

    it('lead on to where the visit came from', async () => {
      const browser = new FormBrowser();
      const link = await askForLink(
        browser,
        'onward@example.com',
        `${login()}?next=${encodeURIComponent('/methodology?a=1')}`,
      );
      const page = await browser.submit(await browser.get(link), '/login/link');
      expect(page.url).to.equal(login('/methodology?a=1'));
    });

    it('cannot be framed, cached or made to send forms elsewhere', async () => {
      const { headers } = await new FormBrowser().get(login());
      expect(headers.get('x-frame-options')).to.equal('DENY');
      expect(headers.get('content-security-policy')).to.match(
        /^default-src 'none'; .*form-action 'self' .*frame-ancestors 'none'; base-uri 'none'$/,
      );
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(headers.get('cross-origin-opener-policy')).to.equal('same-origin');
      expect(headers.get('access-control-allow-origin')).to.equal(null);
    });

    it('answer other methods with what they take', async () => {
      const response = await fetch(login('/login/email'));
      expect(response.status).to.equal(405);
      expect(response.headers.get('allow')).to.equal('POST');
    });

    it('are limited for each client', async () => {
      let status = 0;
      for (let asked = 0; asked <= 240; asked += 1) ({ status } = await fetch(login('/api/auth/session')));
      expect(status).to.equal(429);
    });
  });

  it('makes one operator of 50 first sign-ins of one person at the same moment', async () => {
    const { accounts, ranking } = service;
    let made = 0;
    const maker = {
      make: async () => {
        const enrolment = await ranking.operators.enrol({ codename: `parallel-${(made += 1)}` });
        if (enrolment.kind !== 'enrolled') throw new Error(enrolment.detail);
        return enrolment.operator;
      },
      discard: async (operator: number) => void (await ranking.operators.erase(operator)),
    };
    const person = { provider: 'github', subject: '5050', label: 'crowd', verifiedEmail: 'crowd@example.com' } as const;
    const other = { provider: 'twitter', subject: '5051', label: 'crowd', verifiedEmail: 'crowd@example.com' } as const;
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        accounts.identities.signIn(index % 2 === 0 ? person : other, maker, null),
      ),
    );
    const operators = new Set(outcomes.map((outcome) => (outcome.kind === 'signed_in' ? outcome.account.operator : 0)));
    expect(operators.size).to.equal(1);
    expect(made).to.equal(1);
    const [operator = 0] = operators;
    expect((await accounts.identities.list(operator)).map(({ key }) => key)).to.have.members([
      'github:5050',
      'twitter:5051',
    ]);
  });

  it('keeps an audit log of it all', async () => {
    const browser = new FormBrowser();
    await signInByMail(browser, 'audited@example.com');
    await browser.submit(await browser.get(login('/account')), '/account/sign-out');
    const identity = await service.accounts.identities.accountOf('email_magic_link', 'audited@example.com');
    const events = await service.accounts.audit.list(identity?.operator ?? 0, 10);
    expect(events.map(({ kind }) => kind)).to.deep.equal(['signed_out', 'signed_in', 'operator_created']);
    expect(events[1]?.client).to.be.a('string');
  });
});
