import { expect } from 'chai';
import { DAY_MS, HOUR_MS } from '../../../config/units.ts';
import { createBilling } from '../../../engine/billing/index.ts';
import { FormBrowser, type VisitedPage } from '../../support/form-browser.ts';
import { openIdentityService } from '../../support/identity-service.ts';
import { connectApp, openApp } from '../../support/oauth-app.ts';
import { makeDeviceKey, makeDeviceProof, makeSubmission } from '../../support/signing.ts';
import { useFixture } from '../../support/use-fixture.ts';

describe('the export of an account', () => {
  const service = useFixture(() => openIdentityService({ worker: true }));

  /** A signed-in operator with a device and snapshots, the last of which was refused. */
  async function somebody(name: string, snapshots: number) {
    const browser = new FormBrowser();
    const { access_token: token } = await connectApp(await openApp(service().config.authUrl), browser, name);
    const send = async (path: string, body: unknown): Promise<Response> =>
      fetch(`${service().config.baseUrl}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const me = await fetch(`${service().config.baseUrl}/me`, { headers: { authorization: `Bearer ${token}` } });
    const codename = String(Reflect.get(Object(await me.json()), 'codename'));
    const key = makeDeviceKey();
    const iat = Math.floor((Date.now() + service().ahead) / 1000);
    await send('/devices', { jwk: key.jwk, proof: makeDeviceProof(key, { codename, iat }), name: 'a plain laptop' });
    for (let index = 1; index <= snapshots; index += 1) {
      const counts = { codename, input: 10 * index, output: 20 * index, cache_read: 300 * index, cache_write: 4 };
      await send('/snapshots', makeSubmission(key, counts, { iat, counting: 'exact', cli: '1.2.3' }));
    }
    return { browser, codename, key };
  }

  async function exported(browser: FormBrowser): Promise<VisitedPage> {
    return browser.submit(await browser.get(`${service().origin}/account`), '/account/export');
  }

  it('is one document of everything that is stored, as a download', async () => {
    const { browser, codename, key } = await somebody('keeper', 2);
    const { operator } = (await service().ranking.operators.find(codename)) ?? { operator: 0 };
    const account = await service().accounts.byOperator(operator);
    const payments = createBilling({ connection: service().connection }).payments;
    const paid = { provider: 'stripe', kind: 'subscription', id: 'in_1', amount: 500, currency: 'usd' } as const;
    for (const id of ['in_1', 'in_2']) {
      await payments.record({ ...paid, id, occurredAt: 0, subject: account?.subject ?? '' });
    }
    const page = await exported(browser);
    expect(page.status).to.equal(200);
    expect(page.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect(page.headers.get('content-disposition')).to.equal(`attachment; filename="upsilon-${codename}.json"`);
    expect(page.headers.get('cache-control')).to.equal('no-store');
    const document = JSON.parse(page.text);
    expect(document.operator).to.deep.include({ codename, display_name: null, listed: true, former_codenames: [] });
    expect(document.account).to.deep.include({ subject: account?.subject, plan: 'free', suspended: false });
    const stated = { stream: key.kid, platform: 'unspecified', counting: 'exact', tool_version: '1.2.3' };
    expect(document.operator.provenance).to.deep.equal([stated]);
    expect(document.identities).to.have.length(1);
    expect(document.sessions).to.have.length(1);
    expect(document.devices).to.have.length(1);
    expect(document.devices[0]).to.include({ kid: key.kid, name: 'a plain laptop', revoked_at: null });
    const recorded = { ...paid, asset: null, references: {}, occurred_at: '1970-01-01T00:00:00.000Z' };
    expect(document.payments).to.have.deep.members([recorded, { ...recorded, id: 'in_2' }]);
    expect(document.events.map(({ kind }: { kind: string }) => kind)).to.include.members(['device_enrolled']);
    expect(document.subscriptions).to.deep.equal([]);
    expect(document.earlier_usage).to.equal(null);
    const inputs = document.snapshots.map(({ input }: { input: number }) => input);
    expect(inputs).to.have.members([10, 20]);
    for (const snapshot of document.snapshots) {
      expect(snapshot).to.deep.include({ codename, voided: false, verdict: { accepted: true, changed: true } });
      expect(snapshot.signature).to.match(/^[\w-]+\.\.[\w-]+$/);
    }
  });

  it('contains no secret of the browser, and no data of others', async () => {
    const { browser } = await somebody('discreet', 1);
    const other = await somebody('somebody-else', 1);
    const { text } = await exported(browser);
    expect(text).to.not.include(browser.cookie(service().origin, 'upsilon-session'));
    expect(text).to.not.include(other.codename).and.not.include(other.key.kid);
  });

  it('has every snapshot, when there are more than are read at a time', async () => {
    const { browser, codename } = await somebody('prolific', 0);
    const { operator } = (await service().ranking.operators.find(codename)) ?? { operator: 0 };
    const names = Array.from({ length: 401 }, (_, index) => `entry-${String(index).padStart(4, '0')}-of-the-log`);
    const payload = { codename, input: 1, output: 1, cache_read: 1, cache_write: 1 };
    await service().ranking.log.append(
      names.map((jti) => ({ operator, jti, receivedAt: 0, payload, signature: 'unjudged' })),
    );
    const { snapshots } = JSON.parse((await exported(browser)).text);
    expect(snapshots.map(({ jti }: { jti: string }) => jti)).to.deep.equal(names);
  });

  it('contains the codenames that are reserved for their former owner', async () => {
    const { browser, codename } = await somebody('renamed', 0);
    const { operator } = (await service().ranking.operators.find(codename)) ?? { operator: 0 };
    await service().ranking.operators.rename(operator, 'exported-anew');
    const document = JSON.parse((await exported(browser)).text);
    expect(document.operator.codename).to.equal('exported-anew');
    expect(document.operator.former_codenames).to.have.length(1);
    expect(document.operator.former_codenames[0]).to.include({ codename });
  });

  it('has the leagues of the operator, and its rows on final boards of seasons, without those of others', async () => {
    const { browser, codename } = await somebody('seasoned', 0);
    const { operator } = (await service().ranking.operators.find(codename)) ?? { operator: 0 };
    const { leagues } = service().accounts;
    const other = operator + 1_000;
    const slugs = [];
    for (const name of ['Stayed', 'Left']) {
      const league = await leagues.make(operator, { name, visibility: 'private' });
      if ('refused' in league) throw new Error(league.refused);
      slugs.push(league.slug);
      await leagues.join(other, league.slug, (await leagues.codeOf(league)) ?? '');
      const from = Math.floor((Date.now() + service().ahead) / DAY_MS) + 1;
      await leagues.makeSeason(league, { from, days: 7 });
    }
    // As `finishSeasons` keeps them.
    const row = { yield_: 12.5, rank: 2, platform: 'codex', held: true };
    const rows = [other, operator].map((member) => ({ operator: member, ...row }));
    await service()
      .connection.collection('league_seasons')
      .updateMany({}, { $set: { methodology: 3, rows } });
    await leagues.change(operator, slugs[1] ?? '', { owner: other });
    await leagues.endMembership(operator, slugs[1] ?? '', operator);
    const document = JSON.parse((await exported(browser)).text);
    expect(document.leagues.map(({ name, owned }: { name: string; owned: boolean }) => [name, owned])).to.deep.equal([
      ['Stayed', true],
    ]);
    const kept = document.league_seasons.map(({ league, rows: own }: { league: string; rows: object[] }) => [
      league,
      own,
    ]);
    expect(kept).to.have.deep.members([
      [slugs[0], [row]],
      [null, [row]],
    ]);
    expect(document.league_seasons[0]).to.include({ final: true, methodology: 3 });
    expect(document.league_seasons[0].until).to.match(/^\d{4}-\d\d-\d\d$/);
  });

  it('has the reports of leagues that wait, and how many owners removed the operator', async () => {
    const { browser, codename } = await somebody('reporting', 0);
    const { operator } = (await service().ranking.operators.find(codename)) ?? { operator: 0 };
    const { leagues } = service().accounts;
    const owner = operator + 1_000;
    const slugs = [];
    for (const name of ['Still open', 'Closed since']) {
      const league = await leagues.make(owner, { name, visibility: 'public' });
      if ('refused' in league) throw new Error(league.refused);
      slugs.push(league.slug);
      await leagues.report(operator, league.slug);
      await leagues.report(owner, league.slug);
    }
    await leagues.join(operator, slugs[0]!, (await leagues.codeOf((await leagues.visible(slugs[0]!, null))!))!);
    await leagues.endMembership(owner, slugs[0]!, operator);
    await leagues.change(owner, slugs[1]!, { visibility: 'private' });
    const document = JSON.parse((await exported(browser)).text);
    expect(document.league_reports.map(({ league }: { league: string | null }) => league)).to.have.members([
      slugs[0],
      null,
    ]);
    expect(Date.parse(document.league_reports[0].at)).to.be.a('number').and.not.NaN;
    expect(document).to.deep.include({ removed_from_leagues: 1, leagues: [] });
  });

  it('requires a session and a form of this service', async () => {
    const stranger = new FormBrowser();
    const login = await stranger.get(`${service().origin}/login`);
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(login.text) ?? [];
    const led = await stranger.post(`${service().origin}/account/export`, new URLSearchParams({ csrf }));
    expect(new URL(led.url).pathname).to.equal('/login');
    const { browser } = await somebody('forged', 0);
    const forged = await browser.post(`${service().origin}/account/export`, new URLSearchParams({ csrf }));
    expect(forged.status).to.equal(403);
    expect((await browser.get(`${service().origin}/account/export`)).status).to.equal(405);
  });

  it('is limited to ten an hour', async () => {
    const { browser } = await somebody('insatiable', 0);
    service().ahead += HOUR_MS;
    const statuses: number[] = [];
    for (let index = 0; index < 11; index += 1) statuses.push((await exported(browser)).status);
    expect(statuses).to.deep.equal([...Array.from({ length: 10 }, () => 200), 429]);
  });
});
