import { expect } from 'chai';
import { DAY_MS } from '../../../../config/units.ts';
import type { League } from '../../../../engine/accounts/index.ts';
import type { LeagueVisibility } from '../../../../engine/contract/index.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { openAccounts } from '../open-accounts.ts';

const OFFER_DAYS = 14;

describe('leagues', () => {
  const under = useFixture(openAccounts);
  const leagues = () => under().accounts.leagues;
  let operators = 0;
  const anybody = (): number => (operators += 1);

  async function made(owner: number, visibility: LeagueVisibility = 'private', name = 'The team'): Promise<League> {
    const outcome = await leagues().make(owner, { name, visibility });
    if (outcome.kind !== 'league') throw new Error(outcome.kind);
    return outcome.league;
  }

  async function joined(league: League, ...joining: readonly number[]): Promise<void> {
    const code = (await leagues().codeOf(league))!;
    for (const operator of joining) expect(await leagues().join(operator, league.slug, code)).to.equal('joined');
  }

  const membersOf = async (slug: string, reader: number): Promise<number[]> =>
    ((await leagues().visible(slug, reader))?.members ?? []).map(({ operator }) => operator);

  it('are seen by everybody, or who is private by its members alone', async () => {
    const [owner, member, other] = [anybody(), anybody(), anybody()];
    for (const visibility of ['public', 'unlisted', 'private'] as const) {
      const league = await made(owner, visibility);
      await joined(league, member);
      for (const reader of [owner, member]) {
        expect(await leagues().visible(league.slug, reader)).to.include({ _id: league._id });
      }
      for (const reader of [other, 0, null]) {
        const seen = await leagues().visible(league.slug, reader);
        expect(seen?._id, `${visibility} by ${reader}`).to.equal(visibility === 'private' ? undefined : league._id);
      }
    }
  });

  it('have a readable address where they are public, and one of 128 random bits where not', async () => {
    const owner = anybody();
    const first = await made(owner, 'public', 'Ärger & Söhne, 3. Stock');
    const second = await made(owner, 'public', 'arger sohne 3 stock');
    expect(first.slug).to.equal('arger-sohne-3-stock');
    expect(second.slug).to.match(/^arger-sohne-3-stock-\d+$/);
    expect((await made(owner, 'public', '日本')).slug).to.match(/^league(-\d+)?$/);
    for (const visibility of ['unlisted', 'private'] as const) {
      const { slug } = await made(owner, visibility);
      expect(Buffer.from(slug, 'base64url')).to.have.length(16);
    }
  });

  it('are joined with their code alone, once, until it is replaced or ended', async () => {
    const [owner, member, late] = [anybody(), anybody(), anybody()];
    const league = await made(owner);
    const { slug } = league;
    const code = (await leagues().codeOf(league))!;
    expect(Buffer.from(code, 'base64url')).to.have.length(16);
    expect(await leagues().invitation(slug, code)).to.include({ _id: league._id });
    for (const [place, wrong] of [
      [slug, ''],
      [slug, `${code}A`],
      [slug, slug],
      ['nowhere', code],
    ] as const) {
      expect(await leagues().join(member, place, wrong)).to.equal('unknown');
      expect(await leagues().invitation(place, wrong)).to.equal(null);
    }
    await joined(league, member, member);
    expect(await membersOf(slug, member)).to.deep.equal([owner, member]);
    const replaced = (await leagues().setCode(owner, slug, true))!;
    expect(await leagues().join(late, slug, code)).to.equal('unknown');
    await joined(replaced, late);
    const ended = (await leagues().setCode(owner, slug, false))!;
    expect(await leagues().codeOf(ended)).to.equal(null);
    expect(await leagues().join(anybody(), slug, (await leagues().codeOf(replaced))!)).to.equal('unknown');
    expect(await leagues().join(anybody(), slug, '')).to.equal('unknown');
  });

  it('are left by members, who can come back, and not by whom the owner removed, with the same code', async () => {
    const [owner, member, removed] = [anybody(), anybody(), anybody()];
    const league = await made(owner);
    const { slug } = league;
    await joined(league, member, removed);
    expect(await leagues().leave(owner, slug)).to.equal(false);
    expect(await leagues().leave(anybody(), slug)).to.equal(false);
    expect(await leagues().leave(member, slug)).to.equal(true);
    expect(await membersOf(slug, member)).to.deep.equal([]);
    await joined(league, member);
    expect(await leagues().remove(member, slug, removed), 'by another member').to.equal(null);
    expect(await leagues().remove(owner, slug, owner)).to.equal(null);
    expect(await leagues().remove(owner, slug, removed)).to.include({ _id: league._id });
    expect(await leagues().join(removed, slug, (await leagues().codeOf(league))!)).to.equal('unknown');
    expect(await membersOf(slug, owner)).to.deep.equal([owner, member]);
    await joined((await leagues().setCode(owner, slug, true))!, removed);
  });

  it('are handed over to a member alone', async () => {
    const [owner, member] = [anybody(), anybody()];
    const league = await made(owner);
    await joined(league, member);
    expect(await leagues().handOver(owner, league.slug, anybody())).to.equal(null);
    expect(await leagues().handOver(owner, league.slug, member)).to.include({ owner: member });
    expect(await leagues().rename(owner, league.slug, 'Mine')).to.equal(null);
    expect(await leagues().delete(owner, league.slug)).to.equal(false);
    expect(await leagues().leave(owner, league.slug)).to.equal(true);
    expect(await leagues().delete(member, league.slug)).to.equal(true);
    expect(await leagues().visible(league.slug, member)).to.equal(null);
  });

  it('are narrowed in place, under another address where it was public', async () => {
    const [owner, member] = [anybody(), anybody()];
    const league = await made(owner, 'public');
    await joined(league, member);
    const unlisted = await leagues().setVisibility(owner, league.slug, 'unlisted');
    const { slug } = unlisted?.kind === 'league' ? unlisted.league : league;
    expect(slug).to.not.equal(league.slug);
    expect(await leagues().visible(league.slug, owner)).to.equal(null);
    const hidden = await leagues().setVisibility(owner, slug, 'private');
    expect(hidden).to.have.nested.property('league.slug', slug);
    expect(await leagues().visible(slug, null)).to.equal(null);
    expect(await membersOf(slug, member)).to.deep.equal([owner, member]);
  });

  it('are widened by a new, empty one, to which their members see the invitation', async () => {
    const [owner, member] = [anybody(), anybody()];
    const league = await made(owner);
    await joined(league, member);
    const wider = await leagues().setVisibility(owner, league.slug, 'public');
    if (wider?.kind !== 'league') throw new Error('not widened');
    expect(wider.league.slug).to.not.equal(league.slug);
    expect(wider.league.members.map(({ operator }) => operator)).to.deep.equal([owner]);
    const left = (await leagues().visible(league.slug, member))!;
    expect(left).to.include({ visibility: 'private', slug: league.slug });
    expect(await leagues().successorOf(left)).to.include({ _id: wider.league._id });
  });

  it('are bounded: 1,000 members, 20 of an operator, 10 made in 24 hours, deleted ones included', async () => {
    const owner = anybody();
    const first = await made(owner);
    const { connection } = under();
    const crowd = Array.from({ length: 998 }, (_, index) => ({ operator: 10_000 + index, joined_at: new Date() }));
    await connection
      .collection<{ _id: string; members: object[] }>('leagues')
      .updateOne({ _id: first._id }, { $push: { members: { $each: crowd } } });
    await joined(first, anybody());
    expect(await leagues().join(anybody(), first.slug, (await leagues().codeOf(first))!)).to.equal('full');
    await joined(first, owner);
    await leagues().delete(owner, first.slug);
    for (let count = 1; count < 10; count += 1) await made(owner);
    expect(await leagues().make(owner, { name: 'more', visibility: 'private' })).to.deep.equal({
      kind: 'made',
      waitMs: DAY_MS,
    });
    under().now += DAY_MS;
    for (let count = 9; count < 19; count += 1) await made(owner);
    under().now += DAY_MS;
    await made(owner);
    expect(await leagues().make(owner, { name: 'more', visibility: 'private' })).to.deep.equal({ kind: 'limit' });
    const others = await made(anybody());
    expect(await leagues().join(owner, others.slug, (await leagues().codeOf(others))!)).to.equal('limit');
    expect(await leagues().ofMember(owner)).to.have.length(20);
  });

  it('of erased owners go to the oldest member who accepts within 14 days, or end', async () => {
    const [owner, eldest, younger, youngest] = [anybody(), anybody(), anybody(), anybody()];
    const [alone, atOnce, late, nobody] = [await made(owner), await made(owner), await made(owner), await made(owner)];
    for (const league of [atOnce, late, nobody]) await joined(league, eldest, younger, youngest);
    await under().accounts.create({ operator: owner });
    await under().accounts.erasures.begin(owner);
    await under().accounts.erasures.erase(owner);
    expect(await leagues().visible(alone.slug, owner)).to.equal(null);
    expect(await membersOf(late.slug, eldest)).to.deep.equal([eldest, younger, youngest]);
    expect(await leagues().accept(anybody(), late.slug)).to.equal(false);
    expect(await leagues().accept(eldest, atOnce.slug)).to.equal(true);
    expect(await leagues().visible(atOnce.slug, eldest)).to.include({ owner: eldest });
    for (const member of [youngest, younger]) expect(await leagues().accept(member, late.slug)).to.equal(true);
    under().now += OFFER_DAYS * DAY_MS - 1;
    await leagues().settleOffers();
    expect(await leagues().visible(late.slug, eldest)).to.include({ owner: null });
    expect(await leagues().rename(eldest, late.slug, 'Mine')).to.equal(null);
    under().now += 1;
    await leagues().settleOffers();
    expect(await leagues().visible(late.slug, eldest)).to.include({ owner: younger });
    expect(await leagues().visible(nobody.slug, eldest)).to.equal(null);
    expect(JSON.stringify(await leagues().visible(late.slug, eldest))).to.not.include('accepted');
  });

  it('keep nothing of an operator who was erased', async () => {
    const [owner, member, removed, reporter] = [anybody(), anybody(), anybody(), anybody()];
    const league = await made(owner, 'public');
    await joined(league, member, removed);
    await leagues().remove(owner, league.slug, removed);
    expect(await leagues().report(reporter, league.slug)).to.equal(true);
    for (const operator of [member, removed, reporter]) {
      await under().accounts.create({ operator });
      await under().accounts.erasures.begin(operator);
      await under().accounts.erasures.erase(operator);
    }
    const left = (await leagues().visible(league.slug, null))!;
    expect(left.members.map(({ operator }) => operator)).to.deep.equal([owner]);
    expect([left.removed, left.reports]).to.deep.equal([[], []]);
  });

  it('that are public are reported, and a moderator without an interest decides', async () => {
    const [owner, reporter, moderator, moderating] = [anybody(), anybody(), anybody(), anybody()];
    const [named, shown, gone, fine] = [
      await made(owner, 'public', 'Rude'),
      await made(owner, 'public', 'Shown'),
      await made(owner, 'public', 'Gone'),
      await made(owner, 'public', 'Fine'),
    ];
    const hidden = await made(owner);
    expect(await leagues().report(reporter, hidden.slug)).to.equal(false);
    for (const { slug } of [named, shown, gone, fine]) {
      for (const _ of [1, 2]) expect(await leagues().report(reporter, slug)).to.equal(true);
      expect(await leagues().report(moderating, slug)).to.equal(true);
    }
    expect((await leagues().reported(moderator, 9)).map(({ name, reports }) => [name, reports.length])).to.deep.equal(
      ['Rude', 'Shown', 'Gone', 'Fine'].map((name) => [name, 2]),
    );
    const decide = (by: number, slug: string, action: 'make private' | 'delete' | 'dismiss' | 'rename') =>
      leagues().moderate(by, slug, action, 'Polite');
    for (const interested of [moderating, owner]) {
      expect(await decide(interested, gone.slug, 'delete')).to.equal(false);
      expect((await leagues().reported(interested, 9)).map(({ owner: of }) => of)).to.deep.equal([]);
    }
    expect(await decide(moderator, gone.slug, 'delete')).to.equal(true);
    expect(await decide(moderator, shown.slug, 'make private')).to.equal(true);
    expect(await decide(moderator, fine.slug, 'dismiss')).to.equal(true);
    expect(await decide(moderator, named.slug, 'rename')).to.equal(true);
    expect(await decide(moderator, fine.slug, 'delete'), 'decided').to.equal(false);
    const found = await leagues().ofMember(owner);
    expect(found.map(({ name, visibility, reports }) => [name, visibility, reports.length])).to.deep.equal([
      ['Polite', 'public', 0],
      ['Shown', 'private', 0],
      ['Fine', 'public', 0],
      ['The team', 'private', 0],
    ]);
    for (const { slug } of [named, shown]) expect(await leagues().visible(slug, owner)).to.equal(null);
    const events = await under().accounts.audit.list(owner, 99);
    expect(events.filter(({ kind }) => kind === 'league_moderated')).to.have.length(4);
  });

  it('have one open season at a time, which its owner makes for later days', async () => {
    const [owner, member] = [anybody(), anybody()];
    const league = await made(owner);
    await joined(league, member);
    const today = Math.floor(under().now / DAY_MS);
    const make = (by: number, from: number, days = 7) => leagues().makeSeason(by, league.slug, from, days);
    expect(await make(member, today + 1)).to.equal(null);
    for (const day of [today - 1, today, today + 367]) expect(await make(owner, day)).to.equal(false);
    expect(await make(owner, today + 9)).to.include({ _id: league._id });
    const made2 = await Promise.all([make(owner, today + 2), make(owner, today + 2, 8)]);
    expect(made2.filter((each) => each !== false)).to.have.length.at.least(1);
    expect(await make(owner, today + 1, 10), 'in place of one that has not begun').to.include({ _id: league._id });
    const shown = async () =>
      (await leagues().seasonsOf(league)).map(({ from, until, methodology }) => [
        from - today,
        until - today,
        methodology,
      ]);
    expect(await shown()).to.deep.equal([[1, 11, null]]);
    under().now += DAY_MS;
    expect(await make(owner, today + 20), 'has begun').to.equal(false);
    const row = { operator: member, yield_: 3, rank: 1, platform: 'codex' };
    const board = { methodology: 4, rows: [row, { ...row, operator: owner }] };
    await leagues().finishSeasons(async () => Promise.reject(new Error('it is not over')));
    under().now += 10 * DAY_MS;
    await leagues().finishSeasons(async () => null);
    expect(await shown(), 'not decided').to.deep.equal([[1, 11, null]]);
    await leagues().finishSeasons(async ({ from, until, members, isPublic }) => {
      expect([from - today, until - today, members, isPublic]).to.deep.equal([1, 11, [owner, member], false]);
      // Another process is first.
      await leagues().finishSeasons(async () => board);
      return { methodology: 5, rows: [] };
    });
    await leagues().finishSeasons(async () => Promise.reject(new Error('it is final')));
    expect(await leagues().season(league._id, today + 1)).to.deep.equal({ from: today + 1, until: today + 11, board });
    expect(await leagues().season(league._id, today + 2)).to.equal(null);
    expect(await make(owner, today + 12)).to.include({ _id: league._id });
    expect(await shown()).to.deep.equal([
      [12, 19, null],
      [1, 11, 4],
    ]);
    await leagues().eraseOf(member);
    expect((await leagues().season(league._id, today + 1))?.board?.rows).to.deep.equal([board.rows[1]]);
    await leagues().delete(owner, league.slug);
    expect(await shown(), 'with its league').to.deep.equal([]);
  });
});
