import { expect } from 'chai';
import { FormBrowser } from '../support/form-browser.ts';
import { openIdentityService } from '../support/identity-service.ts';
import { beginRequest, connectApp, openApp } from '../support/oauth-app.ts';
import { useFixture } from '../support/use-fixture.ts';

describe('abuse: tickets of consent', () => {
  const service = useFixture(openIdentityService);
  const app = useFixture(() => openApp(service().config.authUrl));

  /** Where a browser ends that goes to an address, before it would reach the app. */
  async function pathReached(browser: FormBrowser, address: string): Promise<string> {
    browser.stops.push(app().redirectUri);
    return new URL((await browser.get(address)).url).pathname;
  }

  it('are consumed by the browser that was tricked into allowing the request of another', async () => {
    const victim = new FormBrowser();
    await connectApp(app(), victim, 'victim');
    const attacker = new FormBrowser();
    const page = await attacker.get((await beginRequest(app())).url);
    const lure = new URL(new URL(page.url).searchParams.get('next') ?? '', service().origin);
    const answered = await victim.submit(await victim.get(lure.href), '/login/consent', { answer: 'allow' });
    expect(answered.status).to.equal(400);
    expect(answered.url).to.match(/\?ticket=[\w-]{43}$/);
    expect(await pathReached(attacker, answered.url)).to.equal('/login');
  });

  it('are consumed by the first visit, even for another request', async () => {
    const browser = new FormBrowser();
    await connectApp(app(), browser, 'two-requests');
    const first = await browser.get((await beginRequest(app())).url);
    browser.stops.push(`${service().origin}/oauth/interaction/`);
    const answered = new URL((await browser.submit(first, '/login/consent', { answer: 'allow' })).url);
    browser.stops.pop();
    const second = await browser.get((await beginRequest(app())).url);
    const other = new URL(second.url).searchParams.get('interaction') ?? '';
    const mixed = `${service().origin}/oauth/interaction/${other}${answered.search}`;
    for (const address of [mixed, answered.href]) {
      expect(await pathReached(browser, address), address).to.equal('/login/consent');
    }
  });

  it('are consumed by a visit with another method', async () => {
    const browser = new FormBrowser();
    await connectApp(app(), browser, 'other-method');
    const page = await browser.get((await beginRequest(app())).url);
    browser.stops.push(`${service().origin}/oauth/interaction/`);
    const answered = (await browser.submit(page, '/login/consent', { answer: 'allow' })).url;
    browser.stops.pop();
    expect((await fetch(answered, { method: 'HEAD' })).status).to.equal(405);
    expect(await pathReached(browser, answered)).to.equal('/login/consent');
  });

  it('are accepted only for the request that they were issued for', async () => {
    const attacker = new FormBrowser();
    const interactions = `${service().config.authUrl}/oauth/interaction/`;
    const consent = await attacker.submit(await attacker.get((await beginRequest(app())).url), '/login/development', {
      name: 'attacker',
    });
    attacker.stops.push(interactions);
    const own = await attacker.submit(consent, '/login/consent', { answer: 'allow' });
    const again = await attacker.submit(consent, '/login/consent', { answer: 'allow' });
    const ticket = new URL(again.url).searchParams.get('ticket') ?? '';
    expect(ticket).to.not.equal('');
    const victim = new FormBrowser();
    victim.stops.push(app().redirectUri);
    const login = await victim.get((await beginRequest(app())).url);
    const next = new URL(new URL(login.url).searchParams.get('next') ?? '', service().origin);
    const uid = next.searchParams.get('interaction') ?? '';
    const answered = await victim.get(`${interactions}${uid}?ticket=${ticket}`);
    expect(new URL(answered.url).pathname).to.equal('/login');
    // A browser that sends its cookie to the URL of another request continues with its own.
    expect(new URL((await victim.get(own.url)).url).searchParams.get('next')).to.include(uid);
  });

  it('are not issued for a request that is too old', async () => {
    const browser = new FormBrowser();
    const [, csrf = ''] =
      /name="csrf" value="([^"]+)"/.exec((await browser.get(`${service().origin}/login`)).text) ?? [];
    const consent = `${service().origin}/login/consent`;
    const fields = new URLSearchParams({ csrf, interaction: 'forgotten-long-ago', answer: 'allow' });
    for (const page of [
      await browser.get(`${consent}?interaction=forgotten-long-ago`),
      await browser.post(consent, fields),
    ]) {
      expect(page.status).to.equal(400);
      expect(page.text).to.include('This request has expired');
    }
  });
});
