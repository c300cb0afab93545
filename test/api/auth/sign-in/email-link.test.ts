import { expect } from 'chai';
import { FormBrowser, type VisitedPage } from '../../../support/form-browser.ts';
import { SignInWorld } from '../../../support/sign-in-world.ts';
import { useFixture } from '../../../support/use-fixture.ts';

describe('sign-in by mail', () => {
  const world = useFixture(() => SignInWorld.open());

  beforeEach(() => world().nextHour());

  it('creates a free operator with a pronounceable codename', async () => {
    const browser = new FormBrowser();
    expect(await world().sessionOf(browser)).to.deep.include({ authenticated: false, operator: null });
    const page = await world().signInByMail(browser, 'First.Person@Example.com');
    expect(new URL(page.url).pathname).to.equal('/account');
    const session = await world().sessionOf(browser);
    expect(session).to.include({ authenticated: true, provider: 'email_magic_link' });
    expect(session['operator'])
      .to.have.property('codename')
      .that.matches(/^[a-z]{6,13}-\d{3}$/);
    expect(session['operator']).to.include({ plan: 'free', display_name: null });
  });

  it('leads back from an address that is not valid, and keeps where sign-in leads', async () => {
    const browser = new FormBrowser();
    const page = await browser.get(`${world().at()}?next=%2Faccount%2Fplan`);
    const refused = await browser.submit(page, '/login/email', { email: 'nobody' });
    expect(refused.status).to.equal(400);
    expect(refused.text).to.include('<a href="/login?next=%2Faccount%2Fplan">Back to sign-in</a>');
    const expired = await browser.post(world().at('/login/email'), new URLSearchParams({ email: 'a@example.com' }));
    expect([expired.status, expired.text.includes('<a href="/login">Back to sign-in</a>')]).to.deep.equal([403, true]);
  });

  it('does nothing when a link is only opened', async () => {
    const browser = new FormBrowser();
    const link = await world().askForLink(browser, 'scanned@example.com');
    for (let look = 0; look < 3; look += 1) {
      await fetch(link);
      await fetch(link, { method: 'HEAD' });
    }
    const page = await browser.submit(await browser.get(link), '/login/link');
    expect(new URL(page.url).pathname).to.equal('/account');
  });

  it('refuses a link that was used', async () => {
    const browser = new FormBrowser();
    const link = await world().askForLink(browser, 'twice@example.com');
    const form = await browser.get(link);
    await browser.submit(form, '/login/link');
    const again = await browser.get(link);
    expect(again.status).to.equal(400);
    expect(again.text).to.include('It has already been used').and.to.include('Get a new link');
  });

  it('lets one of many concurrent requests use a link', async () => {
    const browser = new FormBrowser();
    const form = await browser.get(await world().askForLink(browser, 'race@example.com'));
    const pages = await Promise.all(Array.from({ length: 8 }, () => browser.submit(form, '/login/link')));
    expect(pages.filter(({ url }) => url.endsWith('/account'))).to.have.length(1);
  });

  it('refuses an expired link', async () => {
    const browser = new FormBrowser();
    const link = await world().askForLink(browser, 'late@example.com');
    const form = await browser.get(link);
    world().service.ahead += 15 * 60_000;
    const page = await browser.submit(form, '/login/link');
    expect(page.status).to.equal(400);
    expect(page.text).to.include('older than 15 minutes');
  });

  it('refuses a link in another browser, and keeps it valid for its own', async () => {
    const own = new FormBrowser();
    const link = await world().askForLink(own, 'stolen@example.com');
    const thief = new FormBrowser();
    const shown = await thief.get(link);
    expect(shown.status).to.equal(400);
    expect(shown.text).to.include('Open the link in the browser that requested it');
    const form = await own.get(link);
    const token = new URL(link).searchParams.get('token') ?? '';
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await thief.get(world().at())).text) ?? [];
    const forced = await thief.post(world().at('/login/link'), new URLSearchParams({ csrf, token }));
    expect(forced.status).to.equal(400);
    expect(await world().sessionOf(thief)).to.include({ authenticated: false });
    expect(new URL((await own.submit(form, '/login/link')).url).pathname).to.equal('/account');
  });

  it('returns the same response for known and unknown addresses', async () => {
    await world().signInByMail(new FormBrowser(), 'known@example.com');
    const texts = await Promise.all(
      ['known@example.com', 'other@example.com'].map(async (email) => {
        const browser = new FormBrowser();
        const page = await browser.submit(await browser.get(world().at()), '/login/email', { email });
        return [page.status, page.text.replaceAll(email, 'ADDRESS').replace(/value="[^"]+"/g, '')];
      }),
    );
    expect(texts[0]).to.deep.equal(texts[1]);
  });

  it('limits mails to one address by one client, and states when the next is possible', async () => {
    let page: VisitedPage | null = null;
    for (let asked = 0; asked < 6; asked += 1) {
      const browser = new FormBrowser();
      page = await browser.submit(await browser.get(world().at()), '/login/email', { email: 'flooded@example.com' });
      expect(page.status).to.equal(asked < 5 ? 200 : 429);
    }
    expect(page?.headers.get('retry-after')).to.match(/^\d+$/);
    await world().mail.linkTo('flooded@example.com', 4);
    // What would come after the fifth would have come before this one.
    await world().askForLink(new FormBrowser(), 'marker@example.com');
    expect(world().mail.count('flooded@example.com')).to.equal(5);
    world().nextHour();
    await world().askForLink(new FormBrowser(), 'flooded@example.com');
  });

  it('limits mails per client and hour', async () => {
    const browser = new FormBrowser();
    let last: VisitedPage | null = null;
    // Twice the quota: a new hour may begin meanwhile, which resets the count.
    for (let asked = 0; asked < 22 && last?.status !== 429; asked += 1) {
      last = await browser.submit(await browser.get(world().at()), '/login/email', {
        email: `many-${asked}@example.com`,
      });
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
      const mailed = world().mail.mails.length;
      const page = await browser.submit(await browser.get(world().at()), '/login/email', { email });
      expect(page.status).to.equal(400);
      // What would have been mailed would have come before this one.
      await world().askForLink(new FormBrowser(), 'marker@example.com');
      expect(world().mail.mails.slice(mailed)).to.have.length(1);
    });
  }
});
