import { expect } from 'chai';
import { PLATFORMS } from '../../../../engine/contract/platforms.ts';
import { openTestApi, type TestApi, type TestOperator } from '../../../support/test-api.ts';
import { UNPACED } from '../../../support/unpaced.ts';
import { listAt } from '../../conformance.ts';

describe('api: boards of platforms', () => {
  let test: TestApi;
  let movable: TestOperator;

  async function submit(operator: TestOperator, platform: string, output: number): Promise<void> {
    const counts = { input: 10, output, cache_read: 10, platform };
    const answered = await test.post('/api/v1/snapshots', operator.token, test.snapshot(operator, counts));
    expect(answered.json?.['accepted']).to.equal(true);
  }

  async function rank(): Promise<void> {
    await test.publish();
    expect(await test.ranking.platforms.rank(undefined, UNPACED)).to.equal('published');
    await test.publish();
  }

  const read = async (query: string, status = 200) => {
    const answered = await test.get(`/api/v1/${query}`);
    expect(answered.status, query).to.equal(status);
    return answered;
  };

  before(async () => {
    test = await openTestApi();
    for (let index = 0; index < 6; index++) await submit(await test.operator(`codex-${index}`), 'codex', 10 + index);
    movable = await test.operator('two-tools');
    await submit(movable, 'codex', 15);
    await submit(movable, 'gemini-cli', 400);
    await test.publish();
  });

  after(() => test[Symbol.asyncDispose]());

  it('are empty before they are first made', async () => {
    const { json } = await read('leaderboard?platform=codex');
    expect(json).to.deep.include({ platform: 'codex', total_operators: 0, entries: [], offset: 0, at: null });
    const { json: profile } = await read('operators/two-tools');
    expect(listAt(profile, 'platforms').map(({ rank: place }) => place)).to.deep.equal([null, null]);
  });

  it('rank by the counts of one tool, in pages with their neighbours, and name what they are of', async () => {
    await rank();
    const { json, headers } = await read('leaderboard?platform=codex&limit=3&offset=2');
    expect(json).to.deep.include({ platform: 'codex', total_operators: 7, offset: 2, limit: 3, window: 'all_time' });
    const { json: all } = await read('leaderboard');
    expect(json).to.include({ board_version: all?.['board_version'], methodology: all?.['methodology'] });
    expect(json?.['board_at']).to.equal(new Date(test.now).toISOString());
    // Two share the first rank.
    expect(listAt(json, 'entries').map(({ codename, rank: place }) => [place, codename])).to.deep.equal([
      [3, 'codex-4'],
      [4, 'codex-3'],
      [5, 'codex-2'],
    ]);
    const [entry] = listAt(json, 'entries');
    expect(entry).to.include({ platform: 'codex', leverage: 1, movement_24h: null, movement_7d: null });
    expect(headers.get('link')).to.include('offset=5&platform=codex>; rel="next"');
    expect((await read('leaderboard?platform=gemini-cli')).json).to.include({ total_operators: 1 });
    expect((await read('leaderboard?platform=amp')).json).to.include({ total_operators: 0 });
  });

  it('have the rows around an operator, and lists', async () => {
    const { json } = await read('leaderboard?platform=codex&around=two-tools&limit=1');
    expect(listAt(json, 'entries').map(({ codename }) => codename)).to.deep.equal(['two-tools']);
    const { json: list } = await read('leaderboard?platform=codex&operators=codex-0,two-tools,nobody-here');
    expect(listAt(list, 'entries').map(({ codename, rank: place }) => [place, codename])).to.deep.equal([
      [1, 'two-tools'],
      [2, 'codex-0'],
    ]);
    expect(list).to.deep.include({ not_found: ['nobody-here'], platform: 'codex', offset: null });
    const { json: unranked } = await read('leaderboard?platform=gemini-cli&around=codex-0', 400);
    expect(unranked).to.include({ code: 'operator_unranked' });
    expect(unranked?.['detail'], 'by that tool, of which it has no counts').to.include('there is no usage');
    expect((await read('leaderboard?platform=codex&around=nobody-here', 404)).json).to.include({
      code: 'operator_unknown',
    });
  });

  it('place a Yield, and an operator on its profile, the tool with most tokens first', async () => {
    const { json } = await read('standing?platform=codex&yield=1.4');
    expect(json).to.deep.include({ platform: 'codex', yield_: 1.4, rank: 3, total_operators: 8 });
    expect(json?.['board_at']).to.equal(new Date(test.now).toISOString());
    const { json: own } = await read('standing?platform=codex&yield=1.5&without=two-tools');
    expect(own).to.deep.include({ rank: 1, total_operators: 7, next_place: null });
    const { json: profile } = await read('operators/two-tools');
    expect(profile?.['platforms']).to.deep.equal([
      { platform: 'gemini-cli', rank: 1, yield_: 40, total_operators: 1, percentile: 100 },
      { platform: 'codex', rank: 1, yield_: 1.5, total_operators: 7, percentile: 100 },
    ]);
  });

  it('are another answer than the board of all, for as long as they stay, and for the next', async () => {
    const [all, codex] = [await read('leaderboard?limit=5'), await read('leaderboard?limit=5&platform=codex')];
    expect(all.json?.['platform']).to.equal(null);
    expect(codex.headers.get('etag')).to.not.equal(all.headers.get('etag'));
    await submit(movable, 'codex', 90);
    await rank();
    const next = await read('leaderboard?limit=5&platform=codex');
    expect(next.headers.get('etag')).to.not.equal(codex.headers.get('etag'));
    expect(listAt(next.json, 'entries')[0]).to.include({ codename: 'two-tools', yield_: 9 });
  });

  for (const [query, code] of [
    ['leaderboard?platform=codex-cli', 'platform_unknown'],
    ['leaderboard?platform=', 'platform_unknown'],
    ['leaderboard?platform=other', 'platform_unknown'],
    ['leaderboard?platform=codex&platform=codex', 'query_repeated'],
    ['leaderboard?platform=codex&at=2026-03-01', 'platform_not_kept'],
    ['leaderboard?platform=codex&include=held', 'parameters_conflict'],
    ['standing?yield=1&platform=CODEX', 'platform_unknown'],
    ['operators/two-tools?platform=codex', 'parameter_not_supported'],
    ['boards?platform=codex', 'parameter_not_supported'],
  ] as const) {
    it(`refuse /${query} as ${code}`, async () => {
      const { json } = await read(query, 400);
      expect(json).to.include({ code });
      if (code === 'platform_unknown') for (const platform of PLATFORMS) expect(json?.['hint']).to.include(platform);
      if (code === 'platform_not_kept') expect(json?.['detail']).to.include('at and platform');
    });
  }
});
