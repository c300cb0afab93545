import { expect } from 'chai';
import * as fc from 'fast-check';
import { RATE_POLICIES } from '../../../api/http/rate-limit/rate-policy.ts';
import { representJson } from '../../../api/http/representation.ts';
import { ROUTES } from '../../../api/routes.ts';
import { runsOf } from '../../support/long-run.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { requestText } from '../../support/wire.ts';
import { openTwoWays } from './two-ways.ts';

const BOARD = '/api/v1/leaderboard';
const PROFILE = '/api/v1/operators/cached-7';
const HOST = ['Host', 'upsilon.test'] as const;

function ask(target: string, headers: readonly string[] = [], method = 'GET', version?: string): string {
  return requestText(method, target, [...HOST, ...headers], version);
}

function to(host: string): string {
  return requestText('GET', BOARD, ['Host', host]);
}

describe('api: the response cache', () => {
  const ways = useFixture(openTwoWays);

  before(() =>
    ways().publish(Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`cached-${index}`, index]))),
  );

  /** Sends a request twice, so that the second one meets what was kept of the first; holds both ways to each other. */
  async function twice(text: string): Promise<{ readonly answer: string; readonly served: number }> {
    const first = await ways().send(text);
    expect(first.fastPath).to.equal(first.koa);
    const second = await ways().send(text);
    expect(second.fastPath).to.equal(second.koa);
    return { answer: second.fastPath, served: second.served };
  }

  describe('answers as Koa does, byte for byte', () => {
    for (const [name, text, status] of [
      ['a leaderboard', ask(BOARD), 200],
      ['a window', ask(`${BOARD}?window=7d`), 200],
      ['a limit', ask(`${BOARD}?limit=3`), 200],
      ['a limit beyond the field', ask(`${BOARD}?limit=100`), 200],
      ['a window and a limit', ask(`${BOARD}?window=30d&limit=5`), 200],
      ['a limit and a window', ask(`${BOARD}?limit=5&window=all_time`), 200],
      ['a profile', ask(PROFILE), 200],
      ['an empty query', ask(`${BOARD}?`), 200],
      ['a campaign tag', ask(`${BOARD}?utm_source=a%20letter&utm_medium=%zz`), 200],
      ['a campaign tag beside a window', ask(`${BOARD}?window=7d&gclid=Cj0-K_Q.w`), 200],
      ['a profile with a campaign tag', ask(`${PROFILE}?utm_source=x`), 200],
      ['HEAD of a leaderboard', ask(BOARD, [], 'HEAD'), 200],
      ['HEAD of a profile', ask(PROFILE, [], 'HEAD'), 200],
      ['HEAD of what is not modified', ask(BOARD, ['If-None-Match', '*'], 'HEAD'), 304],
      ['what is not modified', ask(BOARD, ['If-None-Match', '*']), 304],
      ['a profile that is not modified', ask(PROFILE, ['if-none-match', '"other", *']), 304],
      ['what was modified', ask(BOARD, ['If-None-Match', '"other"']), 200],
      ['gzip', ask(`${BOARD}?limit=100`, ['Accept-Encoding', 'gzip']), 200],
      ['brotli', ask(`${BOARD}?limit=100`, ['accept-encoding', 'gzip, deflate, br']), 200],
      ['an encoding weighed down', ask(BOARD, ['ACCEPT-ENCODING', 'br;q=0, gzip;q=0.1, identity;q=0.5']), 200],
      ['a profile, compressed where it can be', ask(PROFILE, ['Accept-Encoding', 'br, gzip']), 200],
      ['a long Accept-Encoding', ask(BOARD, ['Accept-Encoding', `${'x-unknown, '.repeat(20)}gzip`]), 200],
      ['a page of another site', ask(BOARD, ['Origin', 'https://page.example', 'Accept-Language', 'en']), 200],
      ['a forwarded request', ask(BOARD, ['X-Forwarded-For', '192.0.2.7']), 200],
      ['a request with a token', ask(PROFILE, ['Authorization', 'Bearer nothing']), 200],
      ['a deciding header twice', ask(BOARD, ['If-None-Match', '"a"', 'If-None-Match', '*']), 304],
      ['an encoding twice', ask(BOARD, ['Accept-Encoding', 'br;q=0', 'Accept-Encoding', 'gzip']), 200],
      ['HTTP/1.0', ask(BOARD, [], 'GET', '1.0'), 200],
      ['a last request', ask(BOARD, ['Connection', 'close']), 200],
      ['a body that nobody reads', `${ask(BOARD, ['Content-Length', '4'])}word`, 200],
      ['several requests at once', `${ask('/nowhere')}${ask(BOARD)}${ask(PROFILE)}`, 404],
    ] as const) {
      it(`${name}, by the fast path`, async () => {
        const { answer, served } = await twice(text);
        expect(answer).to.match(new RegExp(`^HTTP/1.1 ${status} `));
        expect(served).to.equal(name === 'several requests at once' ? 2 : 1);
        if (status === 304) expect(answer.split('\r\n\r\n', 1)[0]).to.not.match(/content-length/i);
      });
    }

    for (const [name, text, status] of [
      ['another method', ask(BOARD, [], 'POST'), 405],
      ['a preflight', ask(BOARD, ['Origin', 'https://page.example'], 'OPTIONS'), 204],
      ['an unknown operator', ask('/api/v1/operators/nobody-here'), 404],
      ['a codename in upper case', ask('/api/v1/operators/CACHED-7'), 200],
      ['a codename with an escape', ask('/api/v1/operators/%63ached-7'), 200],
      ['a profile with a parameter of another route', ask(`${PROFILE}?window=7d`), 400],
      ['a parameter of other boards', ask(`${BOARD}?page=2`), 400],
      ['an unknown name with an escape', ask(`${BOARD}?utm%5fsource=x`), 200],
      ['a fragment before a known parameter', ask(`${BOARD}?a=1#&window=7d`), null],
      ['an escaped query', ask(`${BOARD}?window=%37d`), 200],
      ['a limit with a plus', ask(`${BOARD}?limit=+5`), null],
      ['a limit with zeros', ask(`${BOARD}?limit=005`), 200],
      ['a repeated parameter', ask(`${BOARD}?limit=1&limit=1`), 400],
      ['a limit out of bounds', ask(`${BOARD}?limit=101`), 400],
      ['a slash at the end', ask(`${BOARD}/`), 404],
      ['a path in upper case', ask('/API/v1/leaderboard'), 404],
      ['a doubled slash', ask('//api/v1/leaderboard'), null],
      ['a dotted path', ask('/api/v1/./leaderboard'), 404],
      ['a whole address', ask(`http://upsilon.test${BOARD}`), null],
      ['an asterisk', ask('*', [], 'OPTIONS'), null],
      ['a fragment', ask(`${BOARD}#top`), null],
    ] as const) {
      it(`${name}, by Koa`, async () => {
        const { answer, served } = await twice(text);
        if (status !== null) expect(answer).to.match(new RegExp(`^HTTP/1.1 ${status} `));
        expect(served).to.equal(0);
      });
    }
  });

  it('answers as Koa does whatever is asked, while boards follow one another', async () => {
    const words = fc.constantFrom('window=7d', 'window=90d', 'limit=1', 'limit=20', 'limit=0', 'limit=%31', 'x=1');
    const some = fc.array(words, { minLength: 1, maxLength: 3 }).map((parts) => `?${parts.join('&')}`);
    const usual = fc.constantFrom('', '', '?window=7d', '?limit=2&window=30d');
    const query = fc.oneof({ weight: 3, arbitrary: usual }, { weight: 1, arbitrary: some });
    const path = fc.constantFrom(
      BOARD,
      BOARD,
      PROFILE,
      PROFILE,
      '/api/v1/operators/Cached-7',
      '/api/v1/operators/none',
    );
    const encoding = fc.constantFrom('gzip', 'br', 'gzip, br;q=0.5', '*;q=0', 'identity', '', ';;q=x', '\t*');
    const tags = fc.constantFrom('*', '"x"', 'W/"x", *', '', '"unfinished');
    const header = fc.oneof(
      fc.tuple(fc.constantFrom('Accept-Encoding', 'accept-encoding'), encoding),
      fc.tuple(fc.constantFrom('If-None-Match', 'if-none-match'), tags),
      fc.tuple(fc.constant('X-Forwarded-For'), fc.constantFrom('192.0.2.1', '2001:db8::1, 10.0.0.1', 'x')),
      fc.tuple(fc.constantFrom('Accept', 'Range', 'Cookie', 'X-Thing'), fc.stringMatching(/^[!-~]{0,12}$/)),
    );
    const request = fc
      .tuple(
        fc.constantFrom('GET', 'GET', 'GET', 'GET', 'HEAD', 'OPTIONS'),
        path,
        query,
        fc.array(header, { maxLength: 4 }),
      )
      .map(([method, target, search, headers]) => ask(target + search, headers.flat(), method));
    const step = fc.oneof({ weight: 12, arbitrary: request }, { weight: 1, arbitrary: fc.constant(null) });
    let published = 0;
    let served = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        for (const text of steps) {
          if (text === null) {
            published += 1;
            await ways().publish({ [`later-${published}`]: 100 + published });
          } else {
            served += (await twice(text)).served;
          }
        }
      }),
      { numRuns: runsOf(30, 600) },
    );
    expect(served).to.be.greaterThan(10);
  });

  it('keeps one answer for any number of unknown parameters', async () => {
    const { test } = ways();
    await twice(ask(BOARD));
    const kept = test.api.fastPath.kept();
    for (let index = 0; index < 20; index += 1) {
      const { served } = await ways().send(ask(`${BOARD}?utm_source=${index}&p${index}=1`));
      expect(served).to.equal(1);
      await ways().send(ask(`${PROFILE}?window=${index}`));
    }
    expect(test.api.fastPath.kept()).to.be.within(kept, kept + 1);
  });

  it('answers of a new board from the moment that Koa does', async () => {
    expect((await twice(ask(BOARD))).answer).to.not.contain('newcomer');
    await ways().publish({ newcomer: 1_000_000 });
    const { fastPath, koa, served } = await ways().send(ask(BOARD));
    expect(fastPath).to.equal(koa);
    expect(fastPath).to.contain('"codename":"newcomer"');
    expect(served).to.equal(0);
    expect((await twice(ask(BOARD))).served).to.equal(1);
  });

  it('repeats no answer that was made from the board before', async () => {
    const { api } = ways().test;
    const { version } = api.ctx.board.view();
    await ways().publish({ 'since-the-slow-answer': 2_000_000 });
    const route = ROUTES.find(({ operationId }) => operationId === 'getLeaderboard')!;
    const slow = { kind: 'ready', status: 200, body: representJson({ slow: true }, false), board: version } as const;
    api.fastPath.keep(route, `${BOARD}?limit=9`, slow);
    const { served, fastPath } = await ways().send(ask(`${BOARD}?limit=9`));
    expect([served, fastPath.includes('slow":true')]).to.deep.equal([0, false]);
  });

  it('shows a profile that changed without a new board a second later at most', async () => {
    const { test } = ways();
    const record = await test.ranking.operators.find('cached-3');
    const profile = ask('/api/v1/operators/cached-3');
    expect((await twice(profile)).answer).to.contain('"display_name":"The cached-3"');
    await test.ranking.operators.amend(record?.operator ?? 0, { displayName: 'Renamed' });
    test.now += 499;
    const kept = await ways().send(profile);
    expect(kept.served).to.equal(1);
    expect(kept.fastPath).to.contain('"display_name":"The cached-3"');
    test.now += 1;
    const renewed = await ways().send(profile);
    expect(renewed.served).to.equal(0);
    expect(renewed.fastPath).to.equal(renewed.koa);
    expect(renewed.fastPath).to.contain('"display_name":"Renamed"');
    expect((await ways().send(profile)).served).to.equal(1);
    test.now -= 5_000;
    expect((await ways().send(profile)).served, 'a clock that was set back').to.equal(0);
  });

  it('has a validator for each encoding', async () => {
    const whole = `${BOARD}?limit=50`;
    for (const encoding of ['identity', 'gzip', 'br']) {
      const accept = ['Accept-Encoding', encoding];
      const tag = /ETag: (.*)\r\n/.exec((await twice(ask(whole, accept))).answer)?.[1] ?? '';
      for (const value of [tag, `W/${tag}`, `"other", ${tag}`]) {
        const { answer, served } = await twice(ask(whole, [...accept, 'If-None-Match', value]));
        expect(answer, value).to.match(/^HTTP\/1.1 304 /);
        expect(served).to.equal(1);
      }
    }
  });

  it('counts every request in the metrics as Koa does', async () => {
    const { test } = ways();
    await twice(ask(BOARD));
    test.answered.length = 0;
    await ways().send(ask(BOARD) + ask(PROFILE, ['If-None-Match', '*'], 'HEAD'));
    const [board, , profile] = test.answered.filter(({ route }) => route !== 'getLiveness');
    expect(test.answered.filter(({ route }) => route === 'getLeaderboard')).to.have.length(2);
    expect(board).to.deep.equal({ route: 'getLeaderboard', method: 'GET', status: 200 });
    expect(profile).to.deep.equal({ route: 'getOperator', method: 'HEAD', status: 304 });
  });
});

describe('api: the response cache and quotas', () => {
  it('counts, refuses and forgets as Koa does', async () => {
    const policy = { name: 'public', quota: 5, windowMs: 60_000 };
    await using ways = await openTwoWays({
      rates: { ...RATE_POLICIES, public: policy },
    });
    await ways.publish({ lonely: 1 });
    const statuses: string[] = [];
    let served = 0;
    for (let index = 0; index < 8; index += 1) {
      const answered = await ways.send(ask(BOARD));
      expect(answered.fastPath).to.equal(answered.koa);
      statuses.push(answered.fastPath.slice(9, 12));
      served += answered.served;
    }
    expect(statuses).to.deep.equal(['200', '200', '200', '200', '200', '429', '429', '429']);
    expect(served).to.equal(4);
    ways.test.now += 60_000;
    // The kept answer has expired, too.
    for (const [index, remaining] of [4, 3].entries()) {
      const renewed = await ways.send(ask(BOARD));
      expect(renewed.fastPath).to.equal(renewed.koa);
      expect(renewed).to.include({ served: index });
      expect(renewed.fastPath).to.contain(`RateLimit-Remaining: ${remaining}\r\n`);
    }
  });

  it('knows clients by what trusted proxies say, an IPv6 network as one', async () => {
    const policy = { name: 'public', quota: 3, windowMs: 60_000 };
    await using ways = await openTwoWays({
      rates: { ...RATE_POLICIES, public: policy },
      trustedProxies: [{ address: '127.0.0.0', prefix: 8, family: 'ipv4' }],
    });
    await ways.publish({ lonely: 1 });
    const remaining: string[] = [];
    for (const client of ['2001:db8:0:1::1', '2001:db8:0:1::2', '2001:db8:0:2::1', '192.0.2.1', '2001:DB8:0:1:f::']) {
      const { fastPath, koa } = await ways.send(ask(BOARD, ['X-Forwarded-For', `198.51.100.1, ${client}`]));
      expect(fastPath).to.equal(koa);
      remaining.push(/RateLimit-Remaining: (\d+)/.exec(fastPath)?.[1] ?? '');
    }
    expect(remaining).to.deep.equal(['2', '1', '2', '2', '0']);
  });
});

describe('api: the response cache and hosts', () => {
  it('answers only for its own host when there are several', async () => {
    await using ways = await openTwoWays({
      baseUrl: 'http://data.upsilon.test/api/v1',
      loginUrl: 'http://login.upsilon.test',
    });
    await ways.publish({ lonely: 1 });
    await ways.send(to('data.upsilon.test'));
    for (const [host, status, served] of [
      ['data.upsilon.test', '200', 1],
      ['DATA.upsilon.test', '200', 0],
      ['login.upsilon.test', '404', 0],
      ['elsewhere.test', '404', 0],
      ['data.upsilon.test:80', '404', 0],
    ] as const) {
      const answered = await ways.send(to(host));
      expect(answered.fastPath, host).to.equal(answered.koa);
      expect(answered.fastPath.slice(9, 12), host).to.equal(status);
      expect(answered.served, host).to.equal(served);
    }
  });
});
