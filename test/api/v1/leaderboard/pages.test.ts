import { expect } from 'chai';
import { SELECTION_HINTS } from '../../../../engine/contract/index.ts';
import { openTestApi, type TestApi } from '../../../support/test-api.ts';
import { listAt } from '../../conformance.ts';

const OPERATORS = 12;
const PATH = '/api/v1/leaderboard';

/** Codenames of the operators at places from `from` on, before `until`. */
const paged = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, index) => `paged-${from + index}`);

describe('api: pages of the leaderboard', () => {
  let test: TestApi;

  before(async () => {
    test = await openTestApi();
    for (let index = 0; index < OPERATORS; index += 1) {
      const operator = await test.operator(`paged-${index}`);
      // The last two have the same Yield.
      const snapshot = test.snapshot(operator, { output: 40 - Math.min(index, OPERATORS - 2), platform: 'editor' });
      expect((await test.post('/api/v1/snapshots', operator.token, snapshot)).json?.['accepted']).to.equal(true);
    }
    await test.operator('unranked-one');
    await test.publish();
  });

  after(() => test[Symbol.asyncDispose]());

  const get = (query: string) => test.get(`${PATH}${query}`);
  /** Queries of the pages that a page's Link header names, by relation. */
  const linked = async (query: string) => {
    const text = (await get(query)).headers.get('link') ?? '';
    return Object.fromEntries(
      [...text.matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, address, relation]) => [
        relation,
        new URL(address!).search,
      ]),
    );
  };
  const standing = async (query: string) => (await test.get(`/api/v1/standing${query}`)).json;
  const names = async (query: string) => listAt((await get(query)).json, 'entries').map(({ codename }) => codename);

  it('say which question they answer', async () => {
    expect((await get('')).json).to.deep.include({
      window: 'all_time',
      limit: 10,
      offset: 0,
      platform: null,
      at: null,
    });
    const first = (await get('?limit=3')).json;
    const since = {
      movement_24h_since: first?.['movement_24h_since'],
      movement_7d_since: first?.['movement_7d_since'],
    };
    const asked = { window: '7d', limit: 3, offset: 4, ...since };
    expect((await get('?window=7d&limit=3&offset=4')).json).to.deep.include(asked);
    expect((await test.get('/api/v1/operators/paged-1')).json).to.deep.include({ at: null });
  });

  it('begin anywhere, past the end too', async () => {
    expect(await names('?limit=5&offset=4')).to.deep.equal(paged(4, 9));
    expect(await names('?limit=5&offset=10')).to.deep.equal(paged(10, 12));
    const past = await get('?offset=2147483647');
    expect([past.status, past.json?.['entries']]).to.deep.equal([200, []]);
    const [, last] = listAt((await get('?limit=2&offset=10')).json, 'entries');
    expect(last, 'the second of a tie').to.include({ codename: 'paged-11', rank: 11 });
  });

  it('have the address of the first, previous, next and last page, with all other parameters', async () => {
    expect(await linked('?limit=5&window=7d')).to.deep.equal({
      first: '?window=7d&limit=5&offset=0',
      next: '?window=7d&limit=5&offset=5',
      last: '?window=7d&limit=5&offset=10',
    });
    for (const last of ['?limit=5&offset=10', '?limit=6&offset=6']) {
      expect(await linked(last), last).to.have.all.keys('first', 'prev', 'last');
    }
    const walked: unknown[] = [];
    for (let query: string | undefined = '?limit=5'; query !== undefined; query = (await linked(query))['next']) {
      walked.push(...(await names(query)));
    }
    expect(walked).to.deep.equal(paged(0, 12));
  });

  it('are around an operator', async () => {
    const { json } = await get('?around=PAGED-6&limit=3');
    expect([listAt(json, 'entries').map(({ codename }) => codename), json?.['offset']]).to.deep.equal([paged(5, 8), 5]);
    expect(await names('?around=paged-0&limit=4')).to.deep.equal(paged(0, 2));
    expect((await get('?around=nobody-here')).json).to.include({ code: 'operator_unknown', status: 404 });
    const unranked = (await get('?around=unranked-one')).json;
    expect(unranked).to.include({ code: 'operator_unranked', status: 400 });
    expect(unranked?.['detail']).to.match(/there is no usage/);
  });

  it('rank a list among itself', async () => {
    const { json } = await get('?operators=paged-11,nobody-here,paged-3,Paged-10,unranked-one');
    const found = listAt(json, 'entries').map(({ codename, rank, global_rank }) => [codename, rank, global_rank]);
    expect(found).to.deep.equal([
      ['paged-3', 1, 4],
      ['paged-10', 2, 11],
      ['paged-11', 2, 11],
    ]);
    expect(json).to.deep.include({
      not_found: ['nobody-here'],
      unranked: ['unranked-one'],
      offset: null,
      limit: null,
    });
    const spaced = await get('?operators=paged-3,+paged-10,');
    expect(listAt(spaced.json, 'entries')).to.have.length(2);
  });

  it('list what is kept, and read it', async () => {
    const [newest] = listAt((await test.get('/api/v1/boards')).json, 'boards');
    const hour = String(newest?.['at']);
    for (const at of [hour, `${hour.slice(0, 13)}:00Z`, hour.slice(0, 10)]) {
      expect((await get(`?at=${at}`)).json, at).to.include({ at: hour, board_at: hour });
      expect((await test.get(`/api/v1/operators/paged-1?at=${at}`)).json, at).to.include({ at: hour, rank: null });
    }
    for (const at of ['2020-01-01', '2020-13-01', '2020-02-30', 'yesterday', '2031-05-07T10:30Z', '']) {
      for (const path of [PATH, '/api/v1/operators/paged-1']) {
        const { json } = await test.get(`${path}?at=${at}`);
        expect(json, at).to.include({ code: 'board_not_kept', status: 400 });
        expect(json?.['links']).to.deep.equal({ boards: 'http://upsilon.test/api/v1/boards' });
      }
    }
  });

  it('refuse what is not valid, and what excludes each other', async () => {
    for (const [query, code] of [
      ['?offset=-1', 'offset_invalid'],
      ['?offset=1.5', 'offset_invalid'],
      ['?offset=2147483648', 'offset_invalid'],
      ['?offset=', 'offset_invalid'],
      ['?operators=', 'operators_invalid'],
      ['?operators=a', 'operators_invalid'],
      ['?operators=some-one,,other-one', 'operators_invalid'],
      [`?operators=${Array.from({ length: 101 }, (_, index) => `one-of-${index}`).join(',')}`, 'operators_invalid'],
      ['?offset=1&around=paged-1', 'parameters_conflict'],
      ['?around=paged-1&operators=paged-1', 'parameters_conflict'],
      ['?offset=0&include=held', 'parameters_conflict'],
      ['?include=held&at=2020-01-01', 'parameters_conflict'],
      ['?limit=101&offset=5', 'limit_out_of_bounds'],
    ] as const) {
      const { status, json } = await get(query);
      expect([status, json?.['code']], query).to.deep.equal([400, code]);
    }
    expect((await get('?offset=1&around=paged-1')).json?.['detail']).to.equal('offset and around exclude each other.');
  });

  it('refuse names that choose something elsewhere, and ignore all others', async () => {
    for (const path of [
      PATH,
      '/api/v1/operators/paged-1',
      '/api/v1/operators/paged-1/history',
      '/api/v1/boards',
      '/api/v1/standing?yield=1',
      '/badge/paged-1.svg',
      '/',
      '/operators/paged-1',
    ]) {
      for (const name of ['page', 'cursor', 'sort', 'class', 'board_version', 'q']) {
        const { status, text } = await test.get(`${path}${path.includes('?') ? '&' : '?'}${name}=2`);
        expect(status, `${path} ${name}`).to.equal(400);
        expect(text, `${path} ${name}`).to.include(SELECTION_HINTS.get(name));
      }
      expect((await test.get(`${path}${path.includes('?') ? '&' : '?'}utm_source=x`)).status, path).to.equal(200);
    }
    expect((await test.get('/api/v1/operators/paged-1?window=7d')).json).to.include({
      code: 'parameter_not_supported',
    });
  });

  it('place a Yield', async () => {
    const own = listAt((await get('?limit=1&offset=5')).json, 'entries')[0];
    const better = listAt((await get('?limit=1&offset=4')).json, 'entries')[0];
    expect(await standing(`?yield=${String(own?.['yield_'])}&without=paged-5`)).to.deep.include({
      rank: 6,
      total_operators: 12,
      percentile: own?.['percentile'],
      next_place: { rank: 5, yield_: better?.['yield_'], class_tier: better?.['class_tier'] },
    });
    expect(await standing('?yield=1e9')).to.deep.include({
      rank: 1,
      total_operators: 13,
      next_place: null,
      next_tier: null,
    });
    expect(await standing('?yield=0')).to.deep.include({ rank: 13, total_operators: 13 });
    for (const yield_ of ['', '-1', '+1', '1e400', '01', '.5', 'NaN', '0x1', '1_000', '%201']) {
      expect(await standing(`?yield=${yield_}`), yield_).to.include({ code: 'yield_invalid', status: 400 });
    }
    expect(await standing('?yield=1&without=nobody-here')).to.include({ code: 'operator_unknown' });
  });

  it('find codenames by their beginning, on both hosts', async () => {
    for (const path of ['/api/v1/operators', '/operators.json']) {
      expect((await test.get(`${path}?prefix=PAGED-1`)).json).to.deep.equal({
        codenames: ['paged-1', 'paged-10', 'paged-11'],
      });
      expect(listAt((await test.get(`${path}?prefix=p`)).json ?? {}, 'codenames')).to.have.length(10);
      expect((await test.get(`${path}?prefix=q`)).json).to.deep.equal({ codenames: [] });
      for (const prefix of ['', 'a'.repeat(33), 'a b', '%24', 'a_b']) {
        expect((await test.get(`${path}?prefix=${prefix}`)).json, prefix).to.include({ code: 'prefix_invalid' });
      }
    }
  });
});
