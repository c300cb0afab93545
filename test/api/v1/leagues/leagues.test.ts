import { expect } from 'chai';
import * as z from 'zod';
import { DAY_MS } from '../../../../config/units.ts';
import { openJudgedField } from '../../../support/judged-field.ts';
import { type Answered, openTestApi, type TestOperator } from '../../../support/test-api.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { listAt } from '../../conformance.ts';

const OTHER_APP = { clientId: 'an-app' };
const Made = z.object({ slug: z.string(), code: z.string().nullable().default('') });
const codenamesOf = ({ json }: Answered) => listAt(json, 'entries').map(({ codename }) => codename);

describe('leagues of the api', () => {
  const world = useFixture(async () => {
    const test = await openTestApi();
    const [owner, member, other] = [
      await test.operator('owner-one'),
      await test.operator('member-two'),
      await test.operator('other-three'),
    ];
    for (const [place, operator] of [owner, member, other].entries()) {
      const counts = { input: 100, output: 100 - 20 * place, cache_read: 900, platform: 'codex' };
      await test.post('/api/v1/snapshots', await official(operator), test.snapshot(operator, counts));
    }
    await test.publish();
    return { test, owner, member, other, [Symbol.asyncDispose]: () => test[Symbol.asyncDispose]() };

    function official({ operator }: TestOperator): Promise<string> {
      return test.token(operator);
    }
  });

  async function ask(
    who: TestOperator | null,
    method: string,
    path: string,
    body?: unknown,
    claims = {},
  ): Promise<Answered> {
    const { test } = world();
    const token = who === null ? null : await test.token(who.operator, claims);
    return test.send(`/api/v1/leagues${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async function make(visibility: string, name = 'The team') {
    const { json, status } = await ask(world().owner, 'POST', '', { name, visibility });
    expect(status).to.equal(201);
    const { slug, code } = Made.parse(json);
    return { slug, code };
  }

  it('are made, joined, seen, left and deleted', async () => {
    const { owner, member, other } = world();
    const { slug, code } = await make('private');
    const path = `/${slug}`;
    // The holder of the code, who has not joined, sees whose it is and who would see what.
    for (const holder of [member, null]) {
      const offered = await ask(holder, 'GET', `${path}?code=${code}`);
      expect(offered.json).to.include({
        name: 'The team',
        owner: 'owner-one',
        size: 1,
        visibility: 'private',
        role: null,
      });
      expect(offered.json).to.not.have.any.keys('members', 'code');
      const wrong = await ask(holder, 'GET', `${path}?code=${slug}`);
      expect(wrong.json).to.include({ code: 'invitation_unknown', status: 404 });
    }
    const joined = await ask(member, 'POST', `${path}/join`, { code });
    expect(joined.json).to.include({ slug, role: 'member', size: 2 }).and.not.have.property('code');
    expect((await ask(owner, 'GET', path)).json).to.deep.include({
      role: 'owner',
      code,
      members: ['owner-one', 'member-two'],
    });
    expect(listAt((await ask(member, 'GET', '')).json, 'leagues').map((each) => each['slug'])).to.deep.equal([slug]);
    const board = await ask(member, 'GET', `${path}/leaderboard`);
    expect(board.json).to.include({ total_operators: 2, window: 'all_time', methodology: 1, offset: 0, limit: 10 });
    expect(listAt(board.json, 'entries')[1]).to.include({
      codename: 'member-two',
      rank: 2,
      global_rank: 2,
      percentile: 50,
    });
    expect(board.headers.get('cache-control')).to.equal('no-store');
    expect(board.headers.get('link')).to.include(`/leagues/${slug}/leaderboard?`);
    const last = await ask(member, 'GET', `${path}/leaderboard?limit=1&offset=1&window=30d`);
    expect(codenamesOf(last)).to.deep.equal(['member-two']);
    expect((await ask(member, 'GET', `${path}/leaderboard?platform=codex`)).json).to.include({ platform: 'codex' });
    expect((await ask(member, 'GET', `${path}/leaderboard?at=2020-01-01`)).json).to.include({ code: 'board_not_kept' });
    expect((await ask(owner, 'DELETE', `${path}/members/owner-one`)).json).to.include({ code: 'league_owner_leaves' });
    expect((await ask(other, 'DELETE', `${path}/members/other-three`)).json).to.include({ code: 'league_unknown' });
    expect((await ask(member, 'DELETE', `${path}/members/MEMBER-two`)).status).to.equal(204);
    expect(codenamesOf(await ask(owner, 'GET', `${path}/leaderboard`))).to.deep.equal(['owner-one']);
    expect((await ask(member, 'DELETE', path)).json).to.include({ code: 'league_unknown' });
    expect((await ask(owner, 'DELETE', path)).status).to.equal(204);
    expect((await ask(owner, 'GET', path)).status).to.equal(404);
  });

  it('are managed by their owner alone', async () => {
    const { owner, member, other } = world();
    const { slug, code } = await make('unlisted');
    for (const each of [member, other]) await ask(each, 'POST', `/${slug}/join`, { code });
    const acts = [
      ['PATCH', '', { name: 'Ours' }],
      ['DELETE', ''],
      ['DELETE', '/members/other-three'],
      ['PATCH', '', { code: 'replace' }],
      ['PATCH', '', { owner: 'member-two' }],
    ] as const;
    for (const [method, path, body] of acts) {
      expect((await ask(member, method, `/${slug}${path}`, body)).json).to.include({ code: 'league_owner_only' });
    }
    expect((await ask(owner, 'DELETE', `/${slug}/members/OTHER-three`)).status).to.equal(204);
    for (const codename of ['other-three', 'nobody-here']) {
      const refused = await ask(owner, 'DELETE', `/${slug}/members/${codename}`);
      expect(refused.json).to.include({ code: 'operator_unknown', status: 404 });
    }
    expect((await ask(other, 'POST', `/${slug}/join`, { code })).json).to.include({
      code: 'invitation_unknown',
      status: 404,
    });
    const renewed = Made.parse((await ask(owner, 'PATCH', `/${slug}`, { code: 'replace' })).json);
    expect((await ask(other, 'POST', `/${slug}/join`, { code: renewed.code })).status).to.equal(200);
    expect((await ask(owner, 'PATCH', `/${slug}`, { code: 'end' })).status).to.equal(200);
    expect((await ask(owner, 'GET', `/${slug}`)).json).to.include({ code: null });
    const changed = await ask(owner, 'PATCH', `/${slug}`, { name: ' Ours ', owner: 'member-two' });
    expect(changed.json).to.include({ name: 'Ours', owner: 'member-two', role: 'member' });
    const wider = Made.parse((await ask(member, 'PATCH', `/${slug}`, { visibility: 'public' })).json);
    expect(wider).to.include({ slug: 'ours' });
    expect((await ask(other, 'GET', `/${slug}`)).json).to.have.nested.property('successor.slug', 'ours');
    const narrow = Made.parse((await ask(member, 'PATCH', '/ours', { visibility: 'private' })).json);
    expect(narrow.slug).to.not.equal('ours');
    expect((await ask(null, 'GET', '/ours')).status).to.equal(404);
    for (const each of [slug, narrow.slug]) await ask(member, 'DELETE', `/${each}`);
  });

  it('name their members to members alone', async () => {
    const { owner, other } = world();
    const { slug } = await make('public', 'Seen by all');
    expect((await ask(owner, 'GET', `/${slug}`)).json?.['members']).to.have.length(1);
    for (const reader of [other, null]) {
      const { json } = await ask(reader, 'GET', `/${slug}`);
      expect(json).to.include({ slug, role: null }).and.not.have.property('members');
    }
    await ask(owner, 'DELETE', `/${slug}`);
  });

  it('refuse names that display names may not be', async () => {
    const { owner } = world();
    const { slug } = await make('private');
    for (const name of ['', ' ', '\u200b', 'x'.repeat(65), 'admin', 'member-two', 'ＵＰＳＩＬＯＮ']) {
      for (const refused of [
        await ask(owner, 'POST', '', { name, visibility: 'private' }),
        await ask(owner, 'PATCH', `/${slug}`, { name }),
      ]) {
        expect(refused.json, name).to.include({ code: 'league_name_invalid', status: 400 });
      }
    }
    await ask(owner, 'DELETE', `/${slug}`);
  });

  it('are read by apps with the scope, and changed by the official tool alone', async () => {
    const { owner, member } = world();
    const { slug, code } = await make('private', 'Scoped');
    await ask(member, 'POST', `/${slug}/join`, { code });
    expect((await ask(member, 'GET', `/${slug}`, undefined, OTHER_APP)).status).to.equal(404);
    const allowed = { ...OTHER_APP, scope: 'openid profile email leagues' };
    await ask(owner, 'PATCH', `/${slug}`, { visibility: 'unlisted' });
    for (const who of [owner, member]) {
      const { json } = await ask(who, 'GET', `/${slug}`, undefined, allowed);
      expect(json).to.include({ slug }).and.not.have.any.keys('code', 'successor');
    }
    expect(codenamesOf(await ask(member, 'GET', `/${slug}/leaderboard`, undefined, allowed))).to.have.length(2);
    for (const [method, path, body] of [
      ['POST', '', { name: 'Mine', visibility: 'private' }],
      ['DELETE', `/${slug}/members/member-two`],
      ['GET', ''],
    ] as const) {
      expect((await ask(member, method, path, body, allowed)).json).to.include({ code: 'client_not_allowed' });
    }
    await ask(owner, 'DELETE', `/${slug}`);
  });

  it('show hidden members where not everybody sees them, without a rank among all', async () => {
    const { test, owner, other } = world();
    const places = [await make('private', 'A'), await make('unlisted', 'B'), await make('public', 'C')];
    for (const { slug, code } of places) await ask(other, 'POST', `/${slug}/join`, { code });
    const token = await test.token(other.operator);
    await test.send('/api/v1/me', {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ hidden: true }),
    });
    await test.publish();
    test.now += 10_000;
    for (const [index, { slug }] of places.entries()) {
      const entries = listAt((await ask(owner, 'GET', `/${slug}/leaderboard`)).json, 'entries');
      const hidden = entries.find(({ codename }) => codename === 'other-three');
      if (index === 2) expect(hidden).to.equal(undefined);
      else expect(hidden).to.include({ rank: 2, global_rank: null, movement_24h: null });
    }
    const unlisted = await ask(null, 'GET', `/${places[1]!.slug}/leaderboard`);
    expect(codenamesOf(unlisted)).to.include('other-three');
    for (const { slug } of places) await ask(owner, 'DELETE', `/${slug}`);
  });

  it('have seasons, which their owner makes and all who see the league see', async () => {
    const { test, owner, member } = world();
    const { slug, code } = await make('private', 'Seasonal');
    const path = `/${slug}`;
    await ask(member, 'POST', `${path}/join`, { code });
    const dayIn = (days: number) => new Date(test.now + days * DAY_MS).toISOString().slice(0, 10);
    const season = (days: number, length = 7) => ({ season: { from: dayIn(days), days: length } });
    for (const body of [
      season(0),
      season(1, 6),
      season(1, 41),
      { season: { from: '2026-02-30', days: 7 } },
      { season: 1 },
    ]) {
      expect((await ask(owner, 'PATCH', path, body)).json, JSON.stringify(body)).to.include({ code: 'season_invalid' });
    }
    expect((await ask(member, 'PATCH', path, season(1))).json).to.include({ code: 'league_owner_only' });
    const listed = [{ from: dayIn(1), until: dayIn(7), final: false }];
    expect((await ask(owner, 'PATCH', path, season(1))).json).to.deep.include({ seasons: listed });
    expect((await ask(member, 'GET', path)).json).to.deep.include({ seasons: listed });
    const board = `${path}/leaderboard?season=${dayIn(1)}`;
    test.now += DAY_MS;
    const counts = { input: 150, output: 200, cache_read: 1_300, platform: 'codex' };
    const fresh = await test.token(member.operator);
    await test.post('/api/v1/snapshots', fresh, test.snapshot(member, counts));
    await test.publish();
    test.now += 10_000;
    const { json } = await ask(member, 'GET', board);
    expect(json).to.include({ total_operators: 1, at: null }).and.not.have.property('window');
    expect(listAt(json, 'entries')[0]).to.include({ codename: 'member-two', rank: 1, platform: 'codex' });
    const at = (day: string) => ask(member, 'GET', `${path}/leaderboard?season=${day}`);
    expect((await at(dayIn(3))).json).to.include({ code: 'board_not_kept' });
    for (const wrong of ['soon', '']) expect((await at(wrong)).json).to.include({ code: 'validation_failed' });
    const both = await ask(member, 'GET', `${path}/leaderboard?season=${dayIn(0)}&platform=codex`);
    expect(both.json).to.include({ code: 'parameters_conflict' });
    expect((await ask(null, 'GET', board)).json).to.include({ code: 'league_unknown' });
    await ask(owner, 'DELETE', path);
  });

  it('show a hidden member of a season, and of a window, without a rank among all', async () => {
    const { test, owner, member } = world();
    const { slug, code } = await make('unlisted', 'Out of sight');
    await ask(member, 'POST', `/${slug}/join`, { code });
    const from = new Date(test.now + DAY_MS).toISOString().slice(0, 10);
    await ask(owner, 'PATCH', `/${slug}`, { season: { from, days: 7 } });
    test.now += DAY_MS;
    for (const [place, operator] of [owner, member].entries()) {
      const counts = { input: 190, output: 300 - place, cache_read: 1_500, platform: 'codex' };
      await test.post('/api/v1/snapshots', await test.token(operator.operator), test.snapshot(operator, counts));
    }
    await test.ranking.operators.hide(member.operator, true);
    await test.publish();
    for (const [query, ofAll] of [
      [`?season=${from}`, undefined],
      ['', 1],
    ] as const) {
      test.now += 10_000;
      const entries = listAt((await ask(null, 'GET', `/${slug}/leaderboard${query}`)).json, 'entries');
      const shown = new Map(entries.map((entry) => [entry['codename'], entry]));
      expect(shown.get('owner-one')?.['global_rank'], query).to.equal(ofAll);
      expect(shown.get('member-two'), query).to.include({ global_rank: null, movement_24h: null });
      const { text } = await test.get(`/league/${slug}${query}`, { accept: 'text/html' });
      const ranks = [...text.matchAll(/of all: [^<]*/g)].map(([rank]) => rank);
      expect(ranks, query).to.have.members(ofAll === undefined ? ['of all: –'] : ['of all: 1', 'of all: –']);
      expect(text).to.include('hidden ones have no rank among all (–)');
    }
    await ask(owner, 'DELETE', `/${slug}`);
  });

  it('whose owner was erased are accepted by a member', async () => {
    const { test, member } = world();
    const leaving = await test.operator('leaving-four');
    const made = await test.accounts.leagues.make(leaving.operator, { name: 'Left', visibility: 'private' });
    if ('refused' in made) throw new Error(made.refused);
    const code = await test.accounts.leagues.codeOf(made);
    const path = `/${made.slug}`;
    expect((await ask(member, 'POST', `${path}/join`, { code })).status).to.equal(200);
    const accept = { owner: 'member-two' };
    expect((await ask(member, 'PATCH', path, accept)).json, 'not offered').to.include({ code: 'league_owner_only' });
    await test.send('/api/v1/me', {
      method: 'DELETE',
      headers: { authorization: `Bearer ${await test.token(leaving.operator)}` },
    });
    expect((await ask(member, 'GET', path)).json).to.deep.include({
      owner: null,
      size: 1,
      offered_until: new Date(test.now + 14 * DAY_MS).toISOString(),
    });
    expect((await ask(member, 'PATCH', path, accept)).json).to.include({ owner: 'member-two', role: 'owner' });
    await ask(member, 'DELETE', path);
  });

  it('answer MCP with the token of a member, for private ones', async () => {
    const { test, owner, other } = world();
    const secret = await make('private', 'Secret');
    const open = await make('public', 'Open');
    const call = async (who: TestOperator | null, league: string, claims = {}): Promise<string> => {
      const given = { name: 'get_leaderboard', arguments: { league } };
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: given };
      const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
      return (await test.post('/mcp', who && (await test.token(who.operator, claims)), body, headers)).text;
    };
    // The member first: what it got is kept for no one else.
    expect(await call(owner, secret.slug))
      .to.include('owner-one')
      .and.include('"total_operators":1');
    expect(await call(owner, secret.slug, OTHER_APP)).to.equal(await call(owner, 'x'.repeat(22)));
    for (const who of [null, other]) {
      expect(await call(who, secret.slug)).to.equal(await call(who, 'x'.repeat(22)));
      expect(await call(who, open.slug)).to.include('owner-one');
    }
    for (const { slug } of [secret, open]) await ask(owner, 'DELETE', `/${slug}`);
  });
});

const marksOf = (json: unknown) =>
  listAt(json, 'entries').map(({ codename, rank, held, global_rank }) => [codename, rank, held, global_rank]);

describe('rows of a league that are not settled', () => {
  const field = useFixture(openJudgedField);

  /** A league of each visibility with the same members, the first of whom owns and reads it. */
  async function leagueOf(visibility: 'public' | 'private', members: readonly number[]) {
    const test = field();
    const { leagues } = test.accounts;
    const [owner = 0, ...others] = members;
    const made = await leagues.make(owner, { name: 'Judged', visibility });
    if ('refused' in made) throw new Error(made.refused);
    const { slug } = made;
    const code = (await leagues.codeOf(made))!;
    for (const number of others) await leagues.join(number, slug, code);
    const read = async (query = '') => {
      const authorization = `Bearer ${await test.token(owner)}`;
      return (await test.get(`/api/v1/leagues/${slug}/leaderboard${query}`, { authorization })).json;
    };
    return { slug, read };
  }

  it('are marked, numbered where not everybody sees them, and without a number in a public league', async () => {
    const { operators } = field().ranking;
    const names = ['plain-row', 'held-row', 'absurd-row', 'small-row'];
    const numbers = await Promise.all(names.map(async (name) => (await operators.find(name))!.operator));
    const ofPrivate = await (await leagueOf('private', numbers)).read();
    expect(marksOf(ofPrivate)).to.deep.equal([
      ['held-row', 1, true, null],
      ['plain-row', 2, undefined, 1],
    ]);
    expect(ofPrivate).to.not.have.property('held');
    const { slug, read } = await leagueOf('public', numbers);
    const ofPublic = await read();
    expect(marksOf(ofPublic)).to.deep.equal([['plain-row', 1, undefined, 1]]);
    expect(ofPublic).to.include({ total_operators: 1, held_operators: 1 });
    const [held, ...more] = listAt(ofPublic, 'held');
    expect(held).to.include({ codename: 'held-row', held: true, would_be: 1, global_rank: null });
    expect(held).to.have.nested.property('missing[0].of', 'acceptance');
    expect(more).to.deep.equal([]);
    for (const query of ['?offset=1', '?platform=claude-code']) {
      expect(listAt({ held: [], ...Object(await read(query)) }, 'held'), query).to.deep.equal([]);
    }
    const { text } = await field().get(`/league/${slug}`, { accept: 'text/html' });
    expect(text).to.include('1 operator is not settled yet').and.to.include('would be rank 1');
    await operators.hide(numbers[1]!, true);
    expect(listAt(await read(), 'held'), 'hidden since').to.deep.equal([]);
  });

  it('are marked and numbered in seasons where not everybody sees them', async () => {
    const test = field();
    const operator = await test.operator('season-row');
    const leagues = [
      await leagueOf('private', [operator.operator]),
      await leagueOf('public', [operator.operator]),
    ] as const;
    const from = Math.floor(test.now / DAY_MS) + 1;
    for (const { slug } of leagues)
      await test.accounts.leagues.change(operator.operator, slug, { season: { from, days: 7 } });
    test.now += DAY_MS;
    const counts = { input: 5_000, output: 2_500, cache_read: 50_000_000, platform: 'codex' };
    await test.post('/api/v1/snapshots', await test.token(operator.operator), test.snapshot(operator, counts));
    await test.publish();
    const season = `?season=${new Date(from * DAY_MS).toISOString().slice(0, 10)}`;
    const [ofPrivate, ofPublic] = [await leagues[0].read(season), await leagues[1].read(season)];
    expect(marksOf(ofPrivate)).to.deep.equal([['season-row', 1, true, undefined]]);
    expect(marksOf(ofPublic)).to.deep.equal([]);
  });
});
