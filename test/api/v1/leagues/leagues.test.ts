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
    expect((await ask(member, 'GET', `/${slug}`, undefined, allowed)).status).to.equal(200);
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

  it('whose owner was erased are accepted by a member', async () => {
    const { test, member } = world();
    const leaving = await test.operator('leaving-four');
    const made = await test.accounts.leagues.make(leaving.operator, { name: 'Left', visibility: 'private' });
    if (made.kind !== 'league') throw new Error(made.kind);
    const code = await test.accounts.leagues.codeOf(made.league);
    const path = `/${made.league.slug}`;
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
    const call = async (who: TestOperator | null, league: string): Promise<string> => {
      const given = { name: 'get_leaderboard', arguments: { league } };
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: given };
      const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
      return (await test.post('/mcp', who && (await test.token(who.operator)), body, headers)).text;
    };
    // The member first: what it got is kept for no one else.
    expect(await call(owner, secret.slug))
      .to.include('owner-one')
      .and.include('"total_operators":1');
    for (const who of [null, other]) {
      expect(await call(who, secret.slug)).to.equal(await call(who, 'x'.repeat(22)));
      expect(await call(who, open.slug)).to.include('owner-one');
    }
    for (const { slug } of [secret, open]) await ask(owner, 'DELETE', `/${slug}`);
  });
});

describe('rows of a league that are not settled', () => {
  const field = useFixture(openJudgedField);

  it('are numbered and marked where not everybody sees them, and are not on the board of a public league', async () => {
    const test = field();
    const { operators } = test.ranking;
    const names = ['plain-row', 'held-row', 'absurd-row', 'small-row'];
    const numbers = await Promise.all(names.map(async (name) => (await operators.find(name))!.operator));
    const token = await test.token(numbers[0]!);
    const entriesBy = async (visibility: 'public' | 'private') => {
      const made = await test.accounts.leagues.make(numbers[0]!, { name: 'Judged', visibility });
      if (made.kind !== 'league') throw new Error(made.kind);
      const { slug } = made.league;
      const code = (await test.accounts.leagues.codeOf(made.league))!;
      for (const number of numbers.slice(1)) await test.accounts.leagues.join(number, slug, code);
      return (await test.get(`/api/v1/leagues/${slug}/leaderboard`, { authorization: `Bearer ${token}` })).json;
    };
    const ofPrivate = listAt(await entriesBy('private'), 'entries');
    expect(ofPrivate.map(({ codename, rank, held, global_rank }) => [codename, rank, held, global_rank])).to.deep.equal(
      [
        ['held-row', 1, true, null],
        ['plain-row', 2, undefined, 1],
      ],
    );
    const ofPublic = await entriesBy('public');
    expect(listAt(ofPublic, 'entries').map(({ codename, rank }) => [codename, rank])).to.deep.equal([['plain-row', 1]]);
  });
});
