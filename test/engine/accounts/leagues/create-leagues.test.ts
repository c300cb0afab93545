import { expect } from 'chai';
import { DAY_MS } from '../../../../config/units.ts';
import type { League } from '../../../../engine/accounts/index.ts';
import type { LeagueVisibility } from '../../../../engine/contract/index.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { openAccounts } from '../open-accounts.ts';

const OFFER_DAYS = 14;

const outcomeOf = (result: object): unknown => ('refused' in result ? result.refused : 'done');

describe('leagues', () => {
  const under = useFixture(openAccounts);
  const leagues = () => under().accounts.leagues;
  let operators = 0;
  const anybody = (): number => (operators += 1);

  async function made(owner: number, visibility: LeagueVisibility = 'private', name = 'The team'): Promise<League> {
    const outcome = await leagues().make(owner, { name, visibility });
    if ('refused' in outcome) throw new Error(outcome.refused);
    return outcome;
  }

  const join = async (...given: Parameters<ReturnType<typeof leagues>['join']>) =>
    outcomeOf(await leagues().join(...given));
  const change = (...given: Parameters<ReturnType<typeof leagues>['change']>) => leagues().change(...given);
  const end = async (operator: number, slug: string, member = operator) =>
    outcomeOf(await leagues().endMembership(operator, slug, member));

  /** The league after a change that is not refused. */
  async function changed(...given: Parameters<typeof change>): Promise<League> {
    const result = await change(...given);
    if ('refused' in result) throw new Error(result.refused);
    return result;
  }

  async function joined(league: League, ...joining: readonly number[]): Promise<void> {
    const code = (await leagues().codeOf(league))!;
    for (const operator of joining) expect(await join(operator, league.slug, code)).to.equal('done');
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
      expect(await join(member, place, wrong)).to.equal('invitation_unknown');
      expect(await leagues().invitation(place, wrong)).to.equal(null);
    }
    await joined(league, member, member);
    expect(await membersOf(slug, member)).to.deep.equal([owner, member]);
    const replaced = await changed(owner, slug, { code: 'replace' });
    expect(await join(late, slug, code)).to.equal('invitation_unknown');
    await joined(replaced, late);
    const ended = await changed(owner, slug, { code: 'end' });
    expect(await leagues().codeOf(ended)).to.equal(null);
    expect(await join(anybody(), slug, (await leagues().codeOf(replaced))!)).to.equal('invitation_unknown');
    expect(await join(anybody(), slug, '')).to.equal('invitation_unknown');
  });

  it('are left by members, who can come back, and not by whom the owner removed, with the same code', async () => {
    const [owner, member, removed] = [anybody(), anybody(), anybody()];
    const league = await made(owner);
    const { slug } = league;
    await joined(league, member, removed);
    expect(await end(owner, slug)).to.equal('league_owner_leaves');
    expect(await end(anybody(), slug)).to.equal('league_unknown');
    expect(await end(member, slug)).to.equal('done');
    expect(await membersOf(slug, member)).to.deep.equal([]);
    await joined(league, member);
    expect(await end(member, slug, removed), 'by another member').to.equal('league_owner_only');
    expect(await end(owner, slug, anybody())).to.equal('operator_unknown');
    expect(await end(owner, slug, removed)).to.equal('done');
    expect(await join(removed, slug, (await leagues().codeOf(league))!)).to.equal('invitation_unknown');
    expect(await membersOf(slug, owner)).to.deep.equal([owner, member]);
    await joined(await changed(owner, slug, { code: 'replace' }), removed);
  });

  it('are handed over to a member alone', async () => {
    const [owner, member] = [anybody(), anybody()];
    const league = await made(owner);
    await joined(league, member);
    const refusal = { refused: 'league_owner_only' };
    expect(await change(owner, league.slug, { owner: anybody() })).to.deep.equal({ refused: 'operator_unknown' });
    expect(await change(owner, league.slug, { owner: member })).to.include({ owner: member });
    expect(await change(owner, league.slug, { name: 'Mine' })).to.deep.equal(refusal);
    expect(await leagues().delete(owner, league.slug)).to.deep.equal(refusal);
    expect(await end(owner, league.slug)).to.equal('done');
    expect(await leagues().delete(member, league.slug)).to.include({ _id: league._id });
    expect(await leagues().visible(league.slug, member)).to.equal(null);
  });

  it('are narrowed in place, under another address where it was public', async () => {
    const [owner, member] = [anybody(), anybody()];
    const league = await made(owner, 'public');
    await joined(league, member);
    const { slug } = await changed(owner, league.slug, { visibility: 'unlisted' });
    expect(slug).to.not.equal(league.slug);
    expect(await leagues().visible(league.slug, owner)).to.equal(null);
    expect(await changed(owner, slug, { visibility: 'private' })).to.include({ slug });
    expect(await leagues().visible(slug, null)).to.equal(null);
    expect(await membersOf(slug, member)).to.deep.equal([owner, member]);
  });

  it('are widened by a new, empty one, to which their members see the invitation', async () => {
    const [owner, member] = [anybody(), anybody()];
    const league = await made(owner);
    await joined(league, member);
    const wider = await changed(owner, league.slug, { visibility: 'public' });
    expect(wider.slug).to.not.equal(league.slug);
    expect(wider.members.map(({ operator }) => operator)).to.deep.equal([owner]);
    const left = (await leagues().visible(league.slug, member))!;
    expect(left).to.include({ visibility: 'private', slug: league.slug });
    expect(await leagues().successorOf(left)).to.include({ _id: wider._id });
  });

  it('invite the members of a narrower one until the code is replaced, or they are not wider any more', async () => {
    const [owner, member, heir] = [anybody(), anybody(), anybody()];
    for (const ending of [{ code: 'replace' }, { visibility: 'private' }] as const) {
      const league = await made(owner);
      await joined(league, member);
      const wider = await changed(owner, league.slug, { visibility: 'unlisted' });
      await joined(wider, heir);
      await changed(owner, wider.slug, { owner: heir });
      const invited = async () => leagues().successorOf((await leagues().visible(league.slug, member))!);
      expect(await invited()).to.include({ _id: wider._id });
      await changed(heir, wider.slug, ending);
      expect(await invited(), JSON.stringify(ending)).to.equal(null);
    }
  });

  it('stay as they are where they cannot be handed over', async () => {
    const owner = anybody();
    const league = await made(owner);
    const season = { from: Math.floor(under().now / DAY_MS) + 1, days: 7 };
    const all = { owner: anybody(), name: 'Ours', visibility: 'public', code: 'replace', season } as const;
    expect(await change(owner, league.slug, all)).to.deep.equal({ refused: 'operator_unknown' });
    expect((await leagues().ofMember(owner)).map(({ _id, revision }) => [_id, revision])).to.deep.equal([
      [league._id, 1],
    ]);
    expect(await leagues().seasonsOf(league)).to.deep.equal([]);
  });

  it('are bounded: 1,000 members, 20 of an operator, 10 made in 24 hours, deleted ones included', async () => {
    const owner = anybody();
    const first = await made(owner);
    const { connection } = under();
    const crowd = Array.from({ length: 998 }, (_, index) => ({ operator: 10_000 + index, joined_at: new Date() }));
    await connection
      .collection<{ _id: string; members: object[] }>('leagues')
      .updateOne({ _id: first._id }, { $push: { members: { $each: crowd } } });
    const code = (await leagues().codeOf(first))!;
    const last = await Promise.all(Array.from({ length: 6 }, () => join(anybody(), first.slug, code)));
    expect(last).to.have.members(['done', ...Array<string>(5).fill('league_full')]);
    await joined(first, owner);
    await leagues().delete(owner, first.slug);
    for (let count = 1; count < 10; count += 1) await made(owner);
    expect(await leagues().make(owner, { name: 'more', visibility: 'private' })).to.deep.equal({
      refused: 'leagues_made',
      waitMs: DAY_MS,
    });
    under().now += DAY_MS;
    for (let count = 9; count < 19; count += 1) await made(owner);
    under().now += DAY_MS;
    await made(owner);
    expect(await leagues().make(owner, { name: 'more', visibility: 'private' })).to.deep.equal({
      refused: 'league_limit',
    });
    const others = await made(anybody());
    expect(await join(owner, others.slug, (await leagues().codeOf(others))!)).to.equal('league_limit');
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
    expect(outcomeOf(await leagues().accept(anybody(), late.slug))).to.equal('league_unknown');
    expect(await leagues().accept(eldest, atOnce.slug)).to.include({ owner: eldest });
    expect(await leagues().visible(atOnce.slug, eldest)).to.include({ owner: eldest });
    for (const member of [youngest, younger])
      expect(await leagues().accept(member, late.slug)).to.include({ owner: null });
    under().now += OFFER_DAYS * DAY_MS - 1;
    await leagues().settleOffers();
    expect(await leagues().visible(late.slug, eldest)).to.include({ owner: null });
    expect(outcomeOf(await change(eldest, late.slug, { name: 'Mine' }))).to.equal('league_owner_only');
    under().now += 1;
    await leagues().settleOffers();
    expect(await leagues().visible(late.slug, eldest)).to.include({ owner: younger });
    expect(await leagues().visible(nobody.slug, eldest)).to.equal(null);
    expect(JSON.stringify(await leagues().visible(late.slug, eldest))).to.not.include('accepted');
  });

  it('are not accepted when the offer is over', async () => {
    const [owner, member] = [anybody(), anybody()];
    const league = await made(owner);
    await joined(league, member);
    await leagues().eraseOf(owner);
    under().now += OFFER_DAYS * DAY_MS;
    expect(outcomeOf(await leagues().accept(member, league.slug))).to.equal('league_owner_only');
    await leagues().settleOffers();
    expect(await leagues().visible(league.slug, member)).to.equal(null);
  });

  it('that are handed over to who is erased meanwhile stay with those who are left', async () => {
    for (let round = 0; round < 20; round += 1) {
      const [owner, heir] = [anybody(), anybody()];
      const league = await made(owner);
      await joined(league, heir);
      const [handed] = await Promise.all([change(owner, league.slug, { owner: heir }), leagues().eraseOf(heir)]);
      const left = await leagues().visible(league.slug, owner);
      expect(left?.members.map(({ operator }) => operator)).to.deep.equal([owner]);
      expect(left?.owner, `round ${round}`).to.equal('refused' in handed ? owner : null);
    }
  });

  it('keep nothing of an operator who was erased', async () => {
    const [owner, member, removed, reporter] = [anybody(), anybody(), anybody(), anybody()];
    const league = await made(owner, 'public');
    await joined(league, member, removed);
    await end(owner, league.slug, removed);
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
    const make = (by: number, from: number, days = 7) => change(by, league.slug, { season: { from, days } });
    expect(await make(member, today + 1)).to.deep.equal({ refused: 'league_owner_only' });
    const impossible = { refused: 'season_invalid' };
    for (const day of [today - 1, today, today + 367]) expect(await make(owner, day)).to.deep.equal(impossible);
    expect(await make(owner, today + 9)).to.include({ _id: league._id });
    const made2 = await Promise.all([make(owner, today + 2), make(owner, today + 2, 8)]);
    expect(made2.filter((each) => !('refused' in each))).to.have.length.at.least(1);
    expect(await make(owner, today + 1, 10), 'in place of one that has not begun').to.include({ _id: league._id });
    const shown = async () =>
      (await leagues().seasonsOf(league)).map(({ from, until, methodology }) => [
        from - today,
        until - today,
        methodology,
      ]);
    expect(await shown()).to.deep.equal([[1, 11, null]]);
    under().now += DAY_MS;
    expect(await make(owner, today + 20), 'has begun').to.deep.equal(impossible);
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
