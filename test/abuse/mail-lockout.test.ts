import { expect } from 'chai';
import { FormBrowser, type VisitedPage } from '../support/form-browser.ts';
import { SignInWorld } from '../support/sign-in-world.ts';
import { useFixture } from '../support/use-fixture.ts';

const OWNER = 'owner@example.com';

function browserAt(address: string): FormBrowser {
  return Object.assign(new FormBrowser(), { headers: { 'x-forwarded-for': address } });
}

describe('abuse: sign-in mails requested for the addresses of others', () => {
  const world = useFixture(() => SignInWorld.open({ TRUSTED_PROXIES: '127.0.0.1' }));

  beforeEach(() => world().nextHour());

  async function ask(browser: FormBrowser, email: string): Promise<VisitedPage> {
    return browser.submit(await browser.get(world().at()), '/login/email', { email });
  }

  /** Asks from one client address until it may not ask for any mail more. */
  async function useUp(address: string): Promise<void> {
    for (let asked = 0; asked < 10; asked += 1) await ask(browserAt(address), `other-${asked}@example.com`);
    expect((await ask(browserAt(address), 'one-more@example.com')).status).to.equal(429);
  }

  it('do not keep the owner from a link: each client address has a quota', async () => {
    for (let asked = 0; asked < 6; asked += 1) await ask(browserAt('203.0.113.9'), OWNER);
    // Mails are sent after the responses: the owner's is the next one.
    await world().mail.linkTo(OWNER, 4);
    const page = await world().signInByMail(browserAt('198.51.100.7'), OWNER);
    expect(new URL(page.url).pathname).to.equal('/account');
  });

  it('do not keep a browser from a link that signed in with the address before, whatever its network requested', async () => {
    const known = browserAt('203.0.113.9');
    await world().signInByMail(known, 'housemate@example.com');
    await world().signInByMail(known, OWNER);
    await known.submit(await known.get(world().at('/account')), '/account/sign-out');
    await useUp('203.0.113.9');
    for (const email of [OWNER, 'housemate@example.com']) {
      const page = await world().signInByMail(known, email);
      expect(new URL(page.url).pathname).to.equal('/account');
      await known.submit(await known.get(world().at('/account')), '/account/sign-out');
    }
    expect((await ask(known, 'never-seen@example.com')).status).to.equal(429);
  });

  it('count under a separate quota for a browser that signed in before', async () => {
    const known = browserAt('203.0.113.9');
    await world().signInByMail(known, OWNER);
    await known.submit(await known.get(world().at('/account')), '/account/sign-out');
    const statuses: number[] = [];
    for (let asked = 0; asked < 6; asked += 1) statuses.push((await ask(known, OWNER)).status);
    expect(statuses).to.deep.equal([200, 200, 200, 200, 200, 429]);
    expect((await ask(browserAt('198.51.100.7'), OWNER)).status).to.equal(200);
  });

  it('have no separate quota with a proof that is forged, changed, or a year old', async () => {
    const known = browserAt('198.51.100.7');
    await world().signInByMail(known, OWNER);
    const proof = known.cookie(world().at(), 'upsilon-mail') ?? '';
    expect(proof).to.match(/^[\w-]{12}:\d{10}:[\w-]{43}$/);
    const [id = '', seconds = '', mac = ''] = proof.split(':');
    world().nextHour();
    await useUp('203.0.113.9');
    const withProof = (value: string): Promise<VisitedPage> => {
      const browser = browserAt('203.0.113.9');
      browser.setCookie(world().at(), 'upsilon-mail', value);
      return ask(browser, OWNER);
    };
    const later = String(Number(seconds) + 1);
    for (const changed of [
      `${id}:${later}:${mac}`,
      `${'A'.repeat(12)}:${seconds}:${mac}`,
      `${id}:${seconds}:${'A'.repeat(43)}`,
      'x',
      '',
    ]) {
      expect((await withProof(changed)).status, changed).to.equal(429);
    }
    expect((await withProof(proof)).status).to.equal(200);
    world().service.ahead += 366 * 24 * 60 * 60_000;
    await useUp('203.0.113.9');
    expect((await withProof(proof)).status).to.equal(429);
  });
});
