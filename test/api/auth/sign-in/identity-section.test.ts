import { expect } from 'chai';
import * as oidc from 'openid-client';
import { MINUTE_MS } from '../../../../config/units.ts';
import { FormBrowser, type VisitedPage } from '../../../support/form-browser.ts';
import { beginRequest, connectApp, openApp } from '../../../support/oauth-app.ts';
import { SignInWorld } from '../../../support/sign-in-world.ts';
import { useFixture } from '../../../support/use-fixture.ts';

describe('a way to sign in that was removed', () => {
  const world = useFixture(() => SignInWorld.open());
  const app = useFixture(() => openApp(world().service.config.authUrl));

  // Quotas of a minute begin again; tokens are made by the clock of the machine and live for ten.
  beforeEach(() => {
    world().service.ahead += MINUTE_MS;
  });

  const account = (browser: FormBrowser): Promise<VisitedPage> => browser.get(world().at('/account'));

  /** An owner who signs in by X, and an intruder who signs in by the GitHub account of this number. */
  async function ownerAndIntruder(id: number) {
    const [owner, intruder] = [new FormBrowser(), new FormBrowser()];
    world().upstream.person = { id, name: `owner-${id}`, email: `owner-${id}@example.com`, emailVerified: true };
    await world().signInAt(owner, 'twitter');
    world().upstream.person = { id, name: `lost-${id}`, email: `lost-${id}@example.com`, emailVerified: true };
    await world().signInAt(owner, 'github', world().at('/account'));
    await world().signInAt(intruder, 'github');
    const { operator } = await world().sessionOf(owner);
    expect((await world().sessionOf(intruder))['operator']).to.deep.equal(operator);
    const remove = async () => owner.submit(await account(owner), '/account/unlink', { identity: `github:${id}` });
    return { owner, intruder, remove };
  }

  async function statusOf(token: string): Promise<number> {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${world().service.config.baseUrl}/me`, { headers })).status;
  }

  it('signs out the browsers that it had signed in, and no others', async () => {
    const { owner, intruder, remove } = await ownerAndIntruder(7101);
    await remove();
    expect(await world().sessionOf(intruder)).to.include({ authenticated: false });
    expect(await world().sessionOf(owner)).to.include({ authenticated: true });
  });

  it('ends the grants that it opened with their tokens, and no others', async () => {
    const { owner, intruder, remove } = await ownerAndIntruder(7201);
    const [kept, ended] = [await connectApp(app(), owner, 'signed in'), await connectApp(app(), intruder, 'signed in')];
    expect([await statusOf(kept.access_token), await statusOf(ended.access_token)]).to.deep.equal([200, 200]);
    await remove();
    const refused = await oidc.refreshTokenGrant(app().configuration, ended.refresh_token ?? '').then(
      () => 'refreshed',
      (error: unknown) => (error instanceof oidc.ResponseBodyError ? error.error : String(error)),
    );
    expect(refused).to.equal('invalid_grant');
    expect([await statusOf(kept.access_token), await statusOf(ended.access_token)]).to.deep.equal([200, 401]);
    const refreshed = await oidc.refreshTokenGrant(app().configuration, kept.refresh_token ?? '');
    expect(await statusOf(refreshed.access_token)).to.equal(200);
  });

  it('grants nothing by a consent that was given before', async () => {
    const { intruder, remove } = await ownerAndIntruder(7301);
    const consent = await intruder.get((await beginRequest(app())).url);
    intruder.stops.push(world().at('/oauth/interaction'));
    const ticketed = await intruder.submit(consent, '/login/consent', { answer: 'allow' });
    expect(ticketed.url).to.include('ticket=');
    await remove();
    intruder.stops.splice(0, 1, app().redirectUri);
    const end = new URL((await intruder.get(ticketed.url)).url);
    expect(end.searchParams.get('error')).to.equal('access_denied');
    expect(end.searchParams.has('code')).to.equal(false);
  });

  it('is removed, added, and the account erased, only after a fresh sign-in, which leads back', async () => {
    const { owner } = await ownerAndIntruder(7501);
    const page = await account(owner);
    expect(page.text).to.not.include('Sign in again before you change anything here');
    world().service.ahead += 11 * MINUTE_MS;
    const stale = await account(owner);
    expect(stale.text).to.include('Sign in again before you change anything here');
    const codename = /<h1>([^<]+)<\/h1>/.exec(stale.text)?.[1] ?? '';
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(stale.text) ?? [];
    const actions: readonly (readonly [string, Record<string, string>])[] = [
      ['/account/unlink', { identity: 'github:7501' }],
      ['/account/addresses/remove', { address: 'lost-7501@example.com' }],
      ['/account/erase', { codename }],
      ['/login/github', { intent: 'link' }],
      ['/login/email', { intent: 'link', email: 'added-7501@example.com' }],
    ];
    for (const [path, fields] of actions) {
      const refused = await owner.post(world().at(path), new URLSearchParams({ csrf, ...fields }));
      expect(refused.status, path).to.equal(403);
      expect(refused.text, path).to.include('Sign in again first');
    }
    expect((await account(owner)).text).to.include('lost-7501@example.com');
    const refused = await owner.post(world().at('/account/erase'), new URLSearchParams({ csrf, codename }));
    const [, login = ''] = /<a href="([^"]*fresh=1[^"]*)"/.exec(refused.text) ?? [];
    world().upstream.person = { id: 7501, name: 'owner-7501', email: 'owner-7501@example.com', emailVerified: true };
    const back = await world().signInAt(owner, 'twitter', world().at(login.replaceAll('&amp;', '&')));
    expect(back.url).to.equal(world().at('/account#erase'));
    const erased = await owner.submit(back, '/account/erase', { codename });
    expect(erased.text).to.include('Your account is deleted');
  });
});
