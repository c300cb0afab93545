import { get as httpGet } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { WINDOWS } from '../../../../engine/contract/index.ts';
import { openTestApi, TEST_NOW, type TestOperator } from '../../../support/test-api.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { listAt } from '../../conformance.ts';

const LEADERBOARD = '/api/v1/leaderboard';

/** Bytes as they come, without the decoding that fetch does. */
function raw(
  url: string,
  headers: Record<string, string>,
): Promise<{ encoding: string | undefined; etag: string | undefined; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    httpGet(url, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          encoding: response.headers['content-encoding'],
          etag: response.headers.etag,
          bytes: Buffer.concat(chunks),
        }),
      );
    }).on('error', reject);
  });
}

describe('api: public reads', () => {
  const test = useFixture(openTestApi);
  const operators: TestOperator[] = [];

  before(async () => {
    for (let index = 0; index < 12; index += 1) {
      const operator = await test().operator(`reader-${index}`);
      operators.push(operator);
      const answered = await test().post(
        '/api/v1/snapshots',
        operator.token,
        test().snapshot(operator, { output: 20 + Math.min(index, 10), platform: 'editor' }),
      );
      expect(answered.json?.['accepted']).to.equal(true);
    }
    await test().publish();
  });

  it('ranks operators by Yield, ten of them when no limit is given', async () => {
    const { status, json } = await test().get(LEADERBOARD);
    expect(status).to.equal(200);
    expect(json?.['total_operators']).to.equal(12);
    expect(json?.['generated_at']).to.equal(new Date(TEST_NOW).toISOString());
    const entries = listAt(json, 'entries');
    expect(entries).to.have.length(10);
    expect(entries[0]).to.deep.include({
      codename: 'reader-10',
      rank: 1,
      platform: 'editor',
      yield_: 90,
      leverage: 30,
    });
    expect(entries[1]).to.deep.include({ codename: 'reader-11', rank: 1 });
    expect(entries[2]).to.deep.include({ codename: 'reader-9', rank: 3 });
    expect(Object.keys(entries[0] ?? {})).to.have.members([
      'codename',
      'display_name',
      'rank',
      'percentile',
      'platform',
      'class_tier',
      'yield_',
      'leverage',
      'velocity',
      'integrity',
      'provisional',
      'witnessed_days',
      'open',
      'yield_range',
      'movement_24h',
      'movement_7d',
    ]);
  });

  it('answers every limit and every window', async () => {
    for (const [limit, length] of [
      [1, 1],
      [12, 12],
      [100, 12],
    ]) {
      expect((await test().get(`${LEADERBOARD}?limit=${limit}`)).json?.['entries']).to.have.length(length ?? 0);
    }
    for (const window of WINDOWS) {
      expect((await test().get(`${LEADERBOARD}?window=${window}&limit=3`)).json?.['entries'], window).to.have.length(3);
    }
  });

  for (const [query, code, parameter] of [
    ['window=1d', 'window_invalid', 'window'],
    ['window=', 'window_invalid', 'window'],
    ['window=ALL_TIME', 'window_invalid', 'window'],
    ['limit=0', 'limit_out_of_bounds', 'limit'],
    ['limit=101', 'limit_out_of_bounds', 'limit'],
    ['limit=-1', 'limit_out_of_bounds', 'limit'],
    ['limit=', 'limit_not_an_integer', 'limit'],
    ['limit=ten', 'limit_not_an_integer', 'limit'],
    ['limit=1.5', 'limit_not_an_integer', 'limit'],
    ['limit=1e1', 'limit_not_an_integer', 'limit'],
    ['limit=0x10', 'limit_not_an_integer', 'limit'],
    ['limit=99999999999999999999', 'limit_not_an_integer', 'limit'],
    ['limit=1&limit=1', 'query_repeated', 'limit'],
    ['window=7d&window=30d', 'query_repeated', 'window'],
    ['window=%zz', 'query_malformed', 'window'],
    ['utm_source=x&wind%6fw=7d&window=7d', 'query_repeated', 'window'],
  ] as const) {
    it(`refuses ?${query} as ${code}`, async () => {
      const { status, json, headers } = await test().get(`${LEADERBOARD}?${query}`);
      expect(status).to.equal(400);
      expect(json).to.deep.include({ code, status: 400, type: `http://upsilon.test/developers/errors/${code}` });
      expect(json?.['instance']).to.match(/^urn:uuid:/);
      expect(json?.['errors']).to.satisfy((errors: { parameter: string; code: string }[]) =>
        errors.some((error) => error.code === code && error.parameter === parameter),
      );
      expect(headers.get('content-type')).to.match(/^application\/problem\+json/);
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(headers.get('access-control-allow-origin')).to.equal('*');
    });
  }

  it('ignores parameters that it does not know, however often and badly they are given', async () => {
    const path = `${LEADERBOARD}?window=7d&limit=1`;
    const { text } = await test().get(path);
    for (const query of ['windows=7d', '__proto__=1', 'limit[]=1', 'utm_source=%zz&utm_source=x', '%zz', '&=&a'])
      expect((await test().get(`${path}&${query}`)).text, query).to.equal(text);
  });

  it('reports every error of a query at once', async () => {
    const { json } = await test().get(`${LEADERBOARD}?limit=0&window=x&limit=1`);
    const errors = listAt(json, 'errors');
    expect(errors.map((error) => error['code'])).to.have.members([
      'query_repeated',
      'window_invalid',
      'limit_out_of_bounds',
    ]);
    expect(json?.['code']).to.equal(errors[0]?.['code']);
  });

  it('shows a profile by its codename in any case', async () => {
    const { status, json } = await test().get('/api/v1/operators/Reader-9');
    expect(status).to.equal(200);
    expect(json).to.deep.include({
      codename: 'reader-9',
      rank: 3,
      yield_: 87,
      cascade_str: '30:1:2.9',
      platform: 'editor',
    });
    expect(Object.keys(json?.['windows'] ?? {})).to.have.members(WINDOWS);
  });

  for (const codename of ['nobody-here', '%ZZ', '%00', 'a', 'x'.repeat(500), '..%2f..', '%F0%28%8C%28']) {
    it(`has no operator ${codename.slice(0, 20)}`, async () => {
      const { status, json } = await test().get(`/api/v1/operators/${codename}`);
      expect(status).to.equal(404);
      expect(json).to.deep.include({ code: 'operator_unknown', title: 'The operator does not exist' });
    });
  }

  for (const path of [LEADERBOARD, '/api/v1/operators/reader-1']) {
    it(`lets caches keep ${path}`, async () => {
      const first = await test().get(path);
      const etag = first.headers.get('etag') ?? '';
      expect(etag).to.match(/^"[\w-]+"$/);
      expect(first.headers.get('cache-control')).to.equal('public, max-age=5, s-maxage=10, stale-while-revalidate=30');
      expect(first.headers.get('vary')).to.equal('Accept-Encoding');
      for (const tag of [etag, `W/${etag}`, '*', `"other", ${etag}`]) {
        const again = await test().get(path, { 'if-none-match': tag });
        expect(again.status, tag).to.equal(304);
        expect(again.text).to.equal('');
        expect(again.headers.get('etag')).to.equal(etag);
        expect(again.headers.get('content-length')).to.equal(null);
        expect(again.headers.get('ratelimit-limit')).to.not.equal(null);
      }
      expect((await test().get(path, { 'if-none-match': '"other"' })).status).to.equal(200);
    });

    it(`answers HEAD ${path} as GET, without a body`, async () => {
      const [got, head] = [await test().get(path), await test().send(path, { method: 'HEAD' })];
      expect(head.status).to.equal(200);
      expect(head.text).to.equal('');
      for (const name of [
        'etag',
        'content-type',
        'content-length',
        'cache-control',
        'vary',
        'access-control-allow-origin',
      ]) {
        expect(head.headers.get(name), name).to.equal(got.headers.get(name));
      }
    });

    it(`may be read by any page: ${path}`, async () => {
      const got = await test().get(path, { origin: 'https://page.example' });
      expect(got.headers.get('access-control-allow-origin')).to.equal('*');
      expect(got.headers.get('access-control-expose-headers')).to.match(/RateLimit-Remaining/);
      const preflight = await test().send(path, {
        method: 'OPTIONS',
        headers: { origin: 'https://page.example', 'access-control-request-method': 'GET' },
      });
      expect(preflight.status).to.equal(204);
      expect(preflight.headers.get('access-control-allow-methods')).to.equal('HEAD, GET, OPTIONS');
      expect(preflight.headers.get('access-control-allow-origin')).to.equal('*');
    });
  }

  it('sends the leaderboard in the encoding that is weighed highest', async () => {
    const url = `${test().origin}${LEADERBOARD}`;
    const plain = await raw(url, {});
    const cases: [accept: string, encoding: string | undefined, decode: (bytes: Buffer) => Buffer][] = [
      ['gzip', 'gzip', gunzipSync],
      ['br', 'br', brotliDecompressSync],
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['br;q=0.5, gzip;q=0.8', 'gzip', gunzipSync],
      ['br;q=0, gzip;q=0', undefined, (bytes) => bytes],
      ['*', 'br', brotliDecompressSync],
      ['identity', undefined, (bytes) => bytes],
    ];
    for (const [accept, encoding, decode] of cases) {
      const got = await raw(url, { 'accept-encoding': accept });
      expect(got.encoding, accept).to.equal(encoding);
      expect(decode(got.bytes).equals(plain.bytes), accept).to.equal(true);
      expect(got.etag === plain.etag, `${accept}: ${got.etag}`).to.equal(encoding === undefined);
    }
  });

  it('repeats a response until the next board', async () => {
    const before = await raw(`${test().origin}${LEADERBOARD}`, {});
    expect((await raw(`${test().origin}${LEADERBOARD}`, {})).etag).to.equal(before.etag);
    const [operator] = operators;
    if (operator === undefined) throw new Error('there are no operators');
    await test().post('/api/v1/snapshots', operator.token, test().snapshot(operator, { output: 99 }));
    await test().publish();
    const after = await raw(`${test().origin}${LEADERBOARD}`, {});
    expect(after.etag).to.not.equal(before.etag);
    expect(after.bytes.toString()).to.match(/"codename":"reader-0"/);
  });

  it('names the operation of every request to the metrics', async () => {
    test().answered.length = 0;
    await test().get(LEADERBOARD);
    await test().get('/api/v1/operators/nobody-here');
    await test().get('/nowhere');
    expect(test().answered).to.deep.equal([
      { route: 'getLeaderboard', method: 'GET', status: 200 },
      { route: 'getOperator', method: 'GET', status: 404 },
      { route: 'unmatched', method: 'GET', status: 404 },
    ]);
  });
});

describe('api: public reads without a working store', () => {
  it('answers 500 when a profile cannot be read, and the leaderboard all the same', async () => {
    await using test = await openTestApi({
      context: ({ board }) => ({ board: { ...board, profile: () => Promise.reject(new Error('gone')) } }),
    });
    const profile = await test.get('/api/v1/operators/somebody');
    expect(profile.status).to.equal(500);
    expect(profile.json?.['code']).to.equal('storage_unavailable');
    expect(profile.text).to.not.match(/gone/);
    const board = await test.get(LEADERBOARD);
    expect(board.json).to.deep.include({ total_operators: 0, entries: [] });
  });
});
