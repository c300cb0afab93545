import { expect } from 'chai';
import { DAY_MS, MINUTE_MS } from '../../../../config/units.ts';
import { openAccountOwner } from '../../../support/account-owner.ts';
import { eventually } from '../../../support/eventually.ts';
import { FormBrowser, type VisitedPage } from '../../../support/form-browser.ts';
import { openIdentityService } from '../../../support/identity-service.ts';
import { useFixture } from '../../../support/use-fixture.ts';

type Person = Awaited<ReturnType<typeof openAccountOwner>>;

const COUNTS = { input: 100, output: 2_000, cache_read: 30_000, cache_write: 0 };

const invitationOf = ({ text }: VisitedPage): string =>
  (/<span>([^<]*\/account\/league\/join[^<]*)</.exec(text)?.[1] ?? '').replaceAll('&amp;', '&');

/** What differs between two requests that are answered alike. */
const comparable = ({ status, text, headers }: VisitedPage, slug: string) => [
  status,
  text.replaceAll(slug, 'SLUG').replaceAll(/[0-9a-f-]{36}|csrf" value="[^"]+/g, ''),
  [...headers].filter(([name]) => !/^(date|etag|ratelimit.*|content-length)$/.test(name)),
];

describe('the pages of leagues', () => {
  const service = useFixture(() => openIdentityService({ worker: true }));
  let owner: Person;
  let member: Person;
  let stranger: Person;

  before(async () => {
    owner = await openAccountOwner(service(), 'league-owner');
    member = await openAccountOwner(service(), 'league-member');
    stranger = await openAccountOwner(service(), 'league-stranger');
    await owner.submit(COUNTS);
    await member.submit({ ...COUNTS, output: 1_000 });
  });

  async function make(
    name: string,
    visibility: string,
  ): Promise<{ readonly page: VisitedPage; readonly slug: string }> {
    const page = await owner.browser.submit(await owner.page('/account/leagues'), '/account/leagues', {
      name,
      visibility,
    });
    expect(page.text).to.include(`<h1>${name}</h1>`);
    return { page, slug: new URL(page.url).searchParams.get('league') ?? '' };
  }

  /** A client may send so many forms in a minute. */
  const send = async (who: Person, path: string, fields: Record<string, string>): Promise<VisitedPage> => {
    service().ahead += MINUTE_MS / 4;
    return who.send(path, fields);
  };
  const act = (who: Person, league: string, does: Record<string, string>) =>
    send(who, '/account/league', { league, ...does });

  async function join(who: Person, invitation: string): Promise<VisitedPage> {
    return who.browser.submit(await who.browser.get(invitation), '/account/league/join');
  }

  it('make a private league, invite, join by POST alone, and show its board to members alone', async () => {
    const { page, slug } = await make('The team', 'private');
    expect(slug).to.match(/^[\w-]{22}$/);
    expect(page.headers.get('content-security-policy')).to.match(/script-src 'self'/);
    const invitation = invitationOf(page);
    const shown = await member.browser.get(invitation);
    expect(shown.text)
      .to.include('Who will see what')
      .and.to.include('its members alone')
      .and.to.include(owner.codename);
    expect((await member.page(`/account/league?league=${slug}`)).status, 'a GET changes nothing').to.equal(404);
    const { text } = await join(member, invitation);
    expect(text).to.include('2 members').and.to.include('Leave the league').and.to.not.include('Delete the league');
    expect(text).to.not.include(new URL(invitation).searchParams.get('code') ?? '-');
    await eventually('both rows', async () => {
      const board = await member.page(`/account/leagues/${slug}`);
      return board.status === 200 && [owner, member].every(({ codename }) => board.text.includes(`row-${codename}`));
    });
    const board = await member.page(`/account/leagues/${slug}?window=30d&platform=codex`);
    expect(board.headers.get('cache-control')).to.equal('no-store');
    expect(board.headers.get('x-robots-tag')).to.equal('noindex');
    expect(board.headers.get('access-control-allow-origin')).to.equal(null);
    expect(board.text, 'events, where they are of the same host').to.include(
      'data-events="/events?platform=codex&amp;window=30d"',
    );
    const screen = await member.page(`/account/leagues/${slug}?view=screen`);
    expect(screen.text).to.include('class="screen"').and.to.include('data-events="/events"');
    expect(screen.headers.get('content-security-policy')).to.include("frame-ancestors 'none'");
  });

  it('answer a stranger, of a private league, as of an unknown one', async () => {
    const { slug, page } = await make('Hidden away', 'private');
    const unknown = 'A'.repeat(22);
    const anonymous = new FormBrowser();
    for (const path of ['/league/SLUG', '/account/leagues/SLUG', '/account/league?league=SLUG']) {
      const address = (of: string) => `${service().origin}${path.replace('SLUG', of)}`;
      for (const browser of path.includes('?') ? [stranger.browser] : [stranger.browser, anonymous]) {
        const [private_, none] = [await browser.get(address(slug)), await browser.get(address(unknown))];
        expect(private_.status, path).to.equal(404);
        expect(comparable(private_, slug), path).to.deep.equal(comparable(none, unknown));
      }
    }
    for (const does of [
      { name: 'Mine now' },
      { visibility: 'private' },
      { code: 'end' },
      { owner: owner.codename },
      { owner: stranger.codename },
      { member: owner.codename },
      { member: stranger.codename },
      { end: 'league' },
      { report: 'yes' },
      { from: '2030-01-01', days: '9' },
      {},
    ]) {
      const [private_, none] = [await act(stranger, slug, does), await act(stranger, unknown, does)];
      const what = JSON.stringify(does);
      expect(private_.status, what).to.equal(404);
      expect(comparable(private_, slug), what).to.deep.equal(comparable(none, unknown));
    }
    const wrong = invitationOf(page).replace(/code=.*/, `code=${unknown}`);
    expect((await stranger.browser.get(wrong)).status).to.equal(404);
    expect((await send(stranger, '/account/league/join', { league: slug, code: unknown })).status).to.equal(404);
    expect((await owner.page('/account/leagues')).text).to.include('Hidden away');
  });

  it('rename, end and replace the invitation, remove, narrow and widen, hand over, leave and delete', async () => {
    const { slug, page } = await make('First name', 'unlisted');
    const invitation = invitationOf(page);
    expect((await act(owner, slug, { name: 'Second <i>' })).text).to.include('<h1>Second &lt;i&gt;</h1>');
    expect((await act(owner, slug, { name: 'admin' })).status).to.equal(400);
    await join(member, invitation);
    expect((await act(member, slug, { name: 'Mine' })).status).to.equal(400);
    const removed = await act(owner, slug, { member: member.codename, stay: 'yes' });
    expect(removed.text).to.not.include(member.codename);
    expect((await join(member, invitation)).status, 'not with the same code').to.equal(404);
    expect((await act(owner, slug, { code: 'end' })).text).to.include('no new members can join');
    expect((await member.browser.get(invitation)).status).to.equal(404);
    const again = invitationOf(await act(owner, slug, { code: 'replace' }));
    expect((await join(member, again)).text).to.include('2 members');

    expect((await owner.page(`/league/${slug}`)).text).to.include('<meta name="robots" content="noindex">');
    const wider = await act(owner, slug, { visibility: 'public' });
    expect(wider.url).to.include('league=second-i').and.to.not.include(slug);
    expect(wider.text).to.include('1 member.');
    expect((await member.page(`/account/league?league=${slug}`)).text).to.include('made a wider league');
    await act(owner, slug, { visibility: 'private' });
    expect((await stranger.page(`/league/${slug}`)).status).to.equal(404);

    expect((await act(owner, slug, { owner: member.codename })).text).to.include('Leave the league');
    expect((await act(owner, slug, { member: owner.codename })).text).to.not.include(slug);
    expect((await act(member, slug, { member: member.codename })).status, 'its owner stays').to.not.equal(200);
    expect((await act(member, slug, { end: 'league' })).text).to.not.include(slug);
    expect((await member.page(`/account/league?league=${slug}`)).status).to.equal(404);
  });

  it('show a public league to everybody, who can report it', async () => {
    const { slug } = await make('Open to all', 'public');
    expect(slug).to.equal('open-to-all');
    const board = await fetch(`${service().origin}/league/${slug}`, { headers: { accept: 'text/html' } });
    const text = await board.text();
    expect(board.headers.get('cache-control')).to.equal('no-store');
    expect(text)
      .to.include('<bdi>Open to all</bdi>')

      .and.to.include('canonical');
    expect((await owner.page(`/account/leagues/${slug}`)).url).to.equal(`${service().origin}/league/${slug}`);
    const page = await stranger.page(`/account/league?league=${slug}`);
    expect(page.text).to.include('Report this league').and.to.not.include('Leave the league');
    const thanks = await stranger.browser.submit(page, '/account/league', { report: 'yes' });
    expect(thanks.text).to.include('A moderator will look at this league');
    expect((await service().accounts.leagues.reported(0, 10)).map((each) => each.slug)).to.deep.equal([slug]);
  });

  it('do not show the hidden owner of a public league to who is no member', async () => {
    const hidden = await openAccountOwner(service(), 'league-hidden');
    const made = await hidden.send('/account/leagues', { name: 'In the open', visibility: 'public' });
    await service().ranking.operators.hide(hidden.operator, true);
    const invitation = await stranger.browser.get(invitationOf(made));
    expect(invitation.text).to.include('a league whose owner is not shown, with 1 member');
    const page = await stranger.page('/account/league?league=in-the-open');
    expect(page.text).to.include('Its owner is not shown.');
    for (const { text } of [invitation, page, await stranger.page('/league/in-the-open')]) {
      expect(text).to.not.include(hidden.codename);
    }
    expect((await hidden.page('/account/league?league=in-the-open')).text).to.include(
      'Its owner is <strong>you</strong>',
    );
  });

  it('let a moderator rename, hide and delete what was reported, and nobody else', async () => {
    const moderator = await openAccountOwner(service(), 'league-moderator');
    const decide = (league: string, action: string, name = 'Polite') =>
      send(moderator, '/moderation/league', { league, action, name });
    const { slug } = await make('Something rude', 'public');
    await act(stranger, slug, { report: 'yes' });
    expect((await decide(slug, 'delete')).status, 'without the role').to.equal(403);
    await service().accounts.setModerator(moderator.operator, true);
    expect((await moderator.page('/moderation')).text).to.include('Something rude: reports: 1');
    for (const [action, name, status] of [
      ['sink', 'Polite', 400],
      ['rename', '', 400],
    ] as const) {
      expect((await decide(slug, action, name)).status, action).to.equal(status);
    }
    const { text } = await decide(slug, 'rename');
    expect(text).to.not.include('Something rude');
    const leagues = await service().accounts.leagues.ofMember(owner.operator);
    const renamed = leagues.find(({ name }) => name === 'Polite');
    expect((await stranger.page(`/league/${renamed!.slug}`)).text).to.include('<bdi>Polite</bdi>');
    await act(stranger, renamed!.slug, { report: 'yes' });
    await decide(renamed!.slug, 'make private');
    expect((await stranger.page(`/league/${renamed!.slug}`)).status).to.equal(404);
    expect((await decide(slug, 'delete')).status, 'not reported').to.equal(400);
  });

  it('announce a season, and show its board', async () => {
    const { slug } = await make('In season', 'public');
    const now = Date.now() + service().ahead;
    const dayIn = (days: number) => new Date(now + days * DAY_MS).toISOString().slice(0, 10);
    expect((await act(owner, slug, { from: dayIn(0), days: '7' })).status).to.equal(400);
    expect((await act(owner, slug, { from: dayIn(2), days: '7' })).url).to.include(`league=${slug}`);
    const board = await stranger.page(`/league/${slug}`);
    expect(board.text).to.include(`?season=${dayIn(2)}">${dayIn(2)} to ${dayIn(8)}</a>`);
    const season = await stranger.page(`/league/${slug}?season=${dayIn(2)}`);
    expect(season.text).to.include(`by what arrived from ${dayIn(2)} to ${dayIn(8)}, so far`);
    for (const [day, status] of [
      [dayIn(3), 404],
      ['soon', 400],
    ] as const) {
      expect((await stranger.page(`/league/${slug}?season=${day}`)).status).to.equal(status);
    }
  });

  it('take no form of another site, and no name that is reserved or empty', async () => {
    const fields = new URLSearchParams({ csrf: 'x', name: 'Forged', visibility: 'private' });
    expect((await owner.browser.post(`${service().origin}/account/leagues`, fields)).status).to.equal(403);
    for (const name of ['', 'admin', 'x'.repeat(65), 'a\u202eb', stranger.codename]) {
      expect((await send(owner, '/account/leagues', { name, visibility: 'private' })).status, name).to.equal(400);
    }
    expect((await owner.page('/account/leagues')).text).to.not.include('Forged');
  });
});
