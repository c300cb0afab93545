import { expect } from 'chai';
import { FormBrowser, type VisitedPage } from '../../../support/form-browser.ts';
import { connectApp, openApp } from '../../../support/oauth-app.ts';
import { SignInWorld } from '../../../support/sign-in-world.ts';
import { useFixture } from '../../../support/use-fixture.ts';

describe('addresses of accounts', () => {
  const world = useFixture(() => SignInWorld.open());

  beforeEach(() => world().nextHour());

  /** Signs in with GitHub as an account with this verified address. */
  async function atGithub(id: number, email: string, browser = new FormBrowser()) {
    world().upstream.person = { id, name: `octo-${id}`, email, emailVerified: true };
    const page = await world().signInAt(browser, 'github', world().at('/login?fresh=1'));
    return { browser, page, operator: (await world().sessionOf(browser))['operator'] };
  }

  async function byMail(email: string) {
    const browser = new FormBrowser();
    await world().signInByMail(browser, email);
    return { browser, operator: (await world().sessionOf(browser))['operator'] };
  }

  const notice = (address: string, way: string): Promise<string> =>
    world().mail.mailWith(address, `account:\r\n\r\n${way}\r\n`);
  const account = (browser: FormBrowser): Promise<VisitedPage> => browser.get(world().at('/account'));

  it('that a provider no longer reports open another account for their next owner', async () => {
    const owner = await atGithub(1001, 'old@corp.example');
    await atGithub(1001, 'new@home.example', owner.browser);
    const stranger = await byMail('old@corp.example');
    expect(stranger.operator).to.not.deep.equal(owner.operator);
    const page = await account(owner.browser);
    expect(page.text).to.include('new@home.example').and.not.include('old@corp.example');
    expect((await byMail('new@home.example')).operator).to.deep.equal(owner.operator);
  });

  it('of a removed way to sign in no longer open the account, by mail or by another provider', async () => {
    const owner = await atGithub(1101, 'first@corp.example');
    await atGithub(1101, 'second@corp.example', owner.browser);
    for (const name of ['third', 'fourth'] as const) {
      world().upstream.person = { id: 1101, name, email: `${name}@home.example`, emailVerified: true };
      await world().signInAt(owner.browser, 'twitter', world().at('/account'));
    }
    expect((await account(owner.browser)).text)
      .to.include('fourth@home.example')
      .and.not.include('third@home.example');
    await owner.browser.submit(await account(owner.browser), '/account/unlink', { identity: 'github:1101' });
    for (const [index, email] of ['first@corp.example', 'second@corp.example'].entries()) {
      expect((await byMail(email)).operator).to.not.deep.equal(owner.operator);
      expect((await atGithub(1111 + index, email)).operator).to.not.deep.equal(owner.operator);
    }
  });

  it('are disclosed only while an identity vouches for them', async () => {
    // Tokens are made by the clock of the machine.
    world().service.ahead = 0;
    const owner = await atGithub(1201, 'before@corp.example');
    const app = await openApp(world().service.config.authUrl);
    const { access_token } = await connectApp(app, owner.browser, 'signed in already');
    await atGithub(1201, 'after@home.example', owner.browser);
    const headers = { authorization: `Bearer ${access_token}` };
    const me = await (await fetch(`${world().service.config.baseUrl}/me`, { headers })).json();
    expect(me).to.include({ email: 'after@home.example' });
    const userinfo = await (await fetch(`${world().service.config.authUrl}/oauth/userinfo`, { headers })).json();
    expect(userinfo).to.include({ email: 'after@home.example', email_verified: true });
    // Of several, the one of the first way to sign in.
    world().upstream.person = { id: 1201, name: 'also', email: 'also@home.example', emailVerified: true };
    await world().signInAt(owner.browser, 'twitter', world().at('/account'));
    expect(await (await fetch(`${world().service.config.baseUrl}/me`, { headers })).json()).to.include({
      email: 'after@home.example',
    });
  });

  it('connect a new provider when the link to them is followed in the same browser, and the owner gets a mail', async () => {
    const owner = await byMail('signup@example.com');
    const sent = world().mail.count('signup@example.com');
    const asked = await atGithub(1301, 'Signup@Example.com');
    expect(asked.operator).to.equal(null);
    expect(asked.page.text).to.include('already an account with the address <strong>signup@example.com</strong>');
    const link = await world().mail.linkTo('signup@example.com', sent);
    expect((await new FormBrowser().get(link)).status).to.equal(400);
    const offered = await asked.browser.get(link);
    expect(offered.text).to.include('GitHub: octo-1301').and.include('signup@example.com');
    expect((await account(owner.browser)).text).to.not.include('octo-1301');
    const entered = await asked.browser.submit(offered, '/login/link');
    expect(entered.text).to.include('GitHub: octo-1301');
    expect(await world().sessionOf(asked.browser)).to.deep.include({ provider: 'github', operator: owner.operator });
    expect(await notice('signup@example.com', 'GitHub: octo-1301')).to.include('/account');
    expect((await atGithub(1301, 'signup@example.com')).operator).to.deep.equal(owner.operator);
  });

  it('connect no provider that has not verified them', async () => {
    const owner = await byMail('claimed@example.com');
    world().upstream.person = { id: 1401, name: 'pretender', email: 'claimed@example.com', emailVerified: false };
    for (const name of ['github', 'twitter'] as const) {
      const pretender = new FormBrowser();
      await world().signInAt(pretender, name);
      const session = await world().sessionOf(pretender);
      expect(session['operator']).to.not.deep.equal(owner.operator).and.not.equal(null);
    }
  });

  it('connect no provider after their owner gave them up: the link makes an account', async () => {
    const owner = await byMail('gone@example.com');
    const sent = world().mail.count('gone@example.com');
    const asked = await atGithub(1501, 'gone@example.com');
    const link = await world().mail.linkTo('gone@example.com', sent);
    await atGithub(1502, 'other@example.com', new FormBrowser());
    world().upstream.person = { id: 1503, name: 'octo-1503', email: 'elsewhere@example.com', emailVerified: true };
    await world().signInAt(owner.browser, 'github', world().at('/account'));
    await owner.browser.submit(await account(owner.browser), '/account/addresses/remove', {
      address: 'gone@example.com',
    });
    expect((await account(owner.browser)).text).to.not.include('gone@example.com');
    await asked.browser.submit(await asked.browser.get(link), '/login/link');
    const session = await world().sessionOf(asked.browser);
    expect(session['operator']).to.not.deep.equal(owner.operator).and.not.equal(null);
  });

  it('join the account whose provider vouches for them, when a link signs in by mail, and the owner gets a mail', async () => {
    const owner = await atGithub(1601, 'vouched@example.com');
    expect((await byMail('vouched@example.com')).operator).to.deep.equal(owner.operator);
    await notice('vouched@example.com', 'E-mail: vouched@example.com');
  });

  it('stay with all their ways to sign in when no other way would be left', async () => {
    const owner = await atGithub(1801, 'shared-1801@example.com');
    await byMail('shared-1801@example.com');
    const page = await account(owner.browser);
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page.text) ?? [];
    const fields = new URLSearchParams({ csrf, address: 'shared-1801@example.com' });
    expect((await owner.browser.post(world().at('/account/addresses/remove'), fields)).status).to.equal(409);
    expect((await account(owner.browser)).text)
      .to.include('GitHub: octo-1801')
      .and.include('E-mail: shared-1801@example.com');
  });

  it('end with every way to sign in that vouches for them, but not with the only one', async () => {
    const owner = await atGithub(1701, 'shown@example.com');
    const page = await account(owner.browser);
    expect(page.text).to.include('shown@example.com').and.not.include('/account/addresses/remove');
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page.text) ?? [];
    const fields = new URLSearchParams({ csrf, address: 'shown@example.com' });
    expect((await owner.browser.post(world().at('/account/addresses/remove'), fields)).status).to.equal(409);
    world().upstream.person = { id: 1702, name: 'second', email: 'second@example.com', emailVerified: true };
    await world().signInAt(owner.browser, 'twitter', world().at('/account'));
    await notice('shown@example.com', 'X: @second');
    const removed = await owner.browser.submit(await account(owner.browser), '/account/addresses/remove', {
      address: 'shown@example.com',
    });
    expect(removed.text).to.include('you are now signed out');
    expect(owner.browser.cookie(world().at(), 'upsilon-session')).to.equal(undefined);
    const after = await world().signInAt(owner.browser, 'twitter');
    expect(after.text).to.include('second@example.com').and.not.include('shown@example.com');
  });
});
