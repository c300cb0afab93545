import { expect } from 'chai';
import { FormBrowser } from '../../../support/form-browser.ts';
import { SignInWorld } from '../../../support/sign-in-world.ts';
import { useFixture } from '../../../support/use-fixture.ts';

describe('sign-in by an upstream', () => {
  const world = useFixture(() => SignInWorld.open());

  beforeEach(() => world().nextHour());

  it('signs in with GitHub, and with X', async () => {
    for (const [name, id] of [
      ['github', 501],
      ['twitter', 502],
    ] as const) {
      world().upstream.person = { id, name: `person-${id}`, email: `p${id}@example.com`, emailVerified: true };
      const browser = new FormBrowser();
      expect(new URL((await world().signInAt(browser, name)).url).pathname).to.equal('/account');
      expect(await world().sessionOf(browser)).to.include({ authenticated: true, provider: name });
      const asked = world().upstream.requests.find(({ pathname }) => pathname.endsWith('/authorize'));
      expect(asked?.searchParams.get('code_challenge_method')).to.equal('S256');
    }
  });

  it('refuses a state of another browser, a second use, and a made-up one', async () => {
    world().upstream.person = { id: 701, name: 'stateful', email: 's@example.com', emailVerified: true };
    const browser = new FormBrowser();
    browser.stops.push(world().at('/auth/callback'));
    const ask = await browser.submit(await browser.get(world().at()), '/login/github');
    const back = (await browser.get(`${new URL(ask.url).origin}/approve${new URL(ask.url).search}`)).url;
    browser.stops.length = 0;
    const own = browser.cookie(world().at(), 'upsilon-browser') ?? '';
    expect((await new FormBrowser().get(back)).status).to.equal(400);
    expect(new URL((await browser.get(back)).url).pathname).to.equal('/account');
    // Signing in made another browser of it: as the former one it is refused because the state is spent.
    browser.setCookie(world().at(), 'upsilon-browser', own);
    const second = await browser.get(back);
    expect(second.status).to.equal(400);
    expect(second.text).to.include('is already complete');
    expect((await browser.get(world().at('/auth/callback?code=x&state=y'))).status).to.equal(400);
  });

  it('says so when the person refuses, or the upstream fails', async () => {
    const browser = new FormBrowser();
    world().upstream.refuses = true;
    const refused = await world().signInAt(browser, 'twitter');
    world().upstream.refuses = false;
    expect(refused.status).to.equal(400);
    expect(refused.text).to.include('X refused the sign-in');
    browser.stops.push(world().at('/auth/callback'));
    const ask = await browser.submit(await browser.get(world().at()), '/login/github');
    const state = new URL(ask.url).searchParams.get('state');
    browser.stops.length = 0;
    expect((await browser.get(world().at(`/auth/callback?code=made-up&state=${state}`))).status).to.equal(400);
  });

  it('records a refusal with the account that the way to sign in was to be added to', async () => {
    const browser = new FormBrowser();
    await world().signInByMail(browser, 'refused@example.com');
    world().upstream.refuses = true;
    await world().signInAt(browser, 'twitter', world().at('/account'));
    world().upstream.refuses = false;
    const [event] = await world().service.accounts.audit.list(await world().operatorOf('refused@example.com'), 1);
    const detail = { provider: 'twitter', reason: 'refused' };
    expect(event).to.deep.include({ kind: 'sign_in_refused', client: '127.0.0.1', detail });
  });

  it('adds ways to sign in to an account, and removes them, but not the last', async () => {
    const browser = new FormBrowser();
    await world().signInByMail(browser, 'links@example.com');
    const { operator } = await world().sessionOf(browser);
    world().upstream.person = { id: 801, name: 'linked', email: 'another@example.com', emailVerified: true };
    expect((await world().signInAt(browser, 'twitter', world().at('/account'))).text).to.include('X: @linked');
    const fresh = new FormBrowser();
    await world().signInAt(fresh, 'twitter');
    expect((await world().sessionOf(fresh))['operator']).to.deep.equal(operator);
    const page = await browser.get(world().at('/account'));
    const one = await browser.submit(page, '/account/unlink', { identity: 'email_magic_link:links@example.com' });
    expect(one.text).to.include('you are now signed out');
    const signedIn = await world().signInAt(browser, 'twitter');
    expect(signedIn.text).to.include('your only one').and.not.include('links@example.com');
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(signedIn.text) ?? [];
    const fields = new URLSearchParams({ csrf, identity: 'twitter:801' });
    const last = await browser.post(world().at('/account/unlink'), fields);
    expect(last.status).to.equal(409);
    const stranger = new FormBrowser();
    await world().signInByMail(stranger, 'links@example.com');
    expect((await world().sessionOf(stranger))['operator']).to.not.deep.equal(operator);
  });

  it('does not add what belongs to another account', async () => {
    world().upstream.person = { id: 901, name: 'owned', email: 'owned@example.com', emailVerified: true };
    await world().signInAt(new FormBrowser(), 'github');
    const browser = new FormBrowser();
    await world().signInByMail(browser, 'not-owner@example.com');
    const page = await world().signInAt(browser, 'github', world().at('/account'));
    expect(page.status).to.equal(409);
  });
});
