import { expect } from 'chai';
import { createIdentity } from '../../../../api/auth/create-identity.ts';
import { SIGN_IN_QUOTAS } from '../../../../api/auth/sign-in/limits.ts';
import type { ApiContext } from '../../../../api/context/api-context.ts';
import { html } from '../../../../api/html.ts';
import { createHosts } from '../../../../api/http/hosts.ts';
import { RATE_POLICIES, ratePolicies } from '../../../../api/http/rate-limit/rate-policy.ts';
import type { Route } from '../../../../api/http/route.ts';
import { servedRoutes } from '../../../../api/routes.ts';
import { requestText } from '../../../support/wire.ts';
import { openTwoWays, type TwoWays } from './two-ways.ts';

/** Policies under which every request of a client without a token is refused. */
const { operator, snapshots, snapshotsDay } = RATE_POLICIES;
const CLOSED = { ...ratePolicies({ quota: 0, windowMs: 60_000 }), operator, snapshots, snapshotsDay };

const ACCEPTS = ['', '*/*', 'text/html', 'text/markdown', 'application/json;q=0.5, text/html;q=0.4', 'image/png'];

const UNKNOWN = ['/nowhere', '/api/v1/nowhere', '/api/v1/leaderboard/', '/%zz', '/api//v1', '/a?b=c'];

function ask(method: string, target: string, accept = '', host = 'upsilon.test'): string {
  return requestText(method, target, ['Host', host, ...(accept === '' ? [] : ['Accept', accept])]);
}

/** Sends a request both ways, and holds the responses to each other. */
async function same(ways: TwoWays, text: string) {
  const refused = (): number => ways.test.api.refusals.served();
  const before = refused();
  const { fastPath, koa } = await ways.send(text);
  expect(fastPath, text).to.equal(koa);
  return { answer: fastPath, status: Number(fastPath.slice(9, 12)), refused: refused() - before };
}

/** Sends requests both ways, and compares the status and who refused it: 1 in front of Koa, 0 Koa. */
async function expectAll(
  ways: TwoWays,
  requests: readonly (readonly [method: string, path: string, status: number, refused: 0 | 1])[],
): Promise<void> {
  for (const [method, path, status, refused] of requests) {
    const answered = await same(ways, ask(method, path));
    expect([answered.status, answered.refused], `${method} ${path}`).to.deep.equal([status, refused]);
  }
}

describe('api: refusals in front of Koa', () => {
  describe('over a quota', () => {
    let ways: TwoWays;

    before(async () => {
      ways = await openTwoWays({ rates: CLOSED });
    });

    after(() => ways[Symbol.asyncDispose]());

    it('are those of Koa, byte for byte, for every route', async () => {
      const { settings } = ways.test;
      const { pathOf } = createHosts(settings);
      const routes: readonly Route<never>[] = servedRoutes(settings);
      const limited = routes.filter(({ limit, auth }) => limit !== null || auth === 'operator');
      expect(limited.length).to.be.greaterThan(40);
      for (const route of limited) {
        const path = pathOf(route).replace(/\{\w+\}/g, 'some-name');
        for (const accept of route.page === true ? ACCEPTS : ['', 'text/html']) {
          const { status, refused } = await same(ways, ask(route.method.toUpperCase(), path, accept));
          expect([status, refused], `${route.operationId} ${accept}`).to.deep.equal([429, 1]);
        }
      }
    });

    for (const [name, text] of [
      ['HEAD', ask('HEAD', '/api/v1/leaderboard')],
      ['HEAD of a page', ask('HEAD', '/', 'text/html')],
      ['a preflight', ask('OPTIONS', '/api/v1/leaderboard')],
      ['another method', ask('DELETE', '/api/v1/leaderboard')],
      ['a page with a trailing slash', ask('GET', '/developers/', 'text/html')],
      ['a whole address', ask('GET', 'http://upsilon.test/api/v1/leaderboard?a')],
      ['a fragment', ask('GET', '/api/v1/leaderboard#top')],
      ['a host with a user', ask('GET', '/', 'text/html', 'x@upsilon.test')],
      ['a query', ask('GET', '/api/v1/leaderboard?window=%zz&limit=x')],
      ['HTTP/1.0', requestText('GET', '/api/v1/leaderboard', ['Host', 'upsilon.test'], '1.0')],
      ['HTTP/1.0 without a host', requestText('GET', '/nowhere', [], '1.0')],
      ['a last request', requestText('GET', '/', ['Host', 'upsilon.test', 'Connection', 'close'])],
      ['a body', `${requestText('POST', '/api/v1/snapshots', ['Host', 'upsilon.test', 'Content-Length', '4'])}word`],
      ['two requests at once', ask('GET', '/nowhere') + ask('GET', '/api/v1/leaderboard')],
      ...UNKNOWN.map((path) => [path, ask('GET', path)] as const),
    ] as const) {
      it(`are those of Koa: ${name}`, async () => {
        const { status, refused } = await same(ways, text);
        expect([status, refused]).to.deep.equal([429, name === 'two requests at once' ? 2 : 1]);
      });
    }

    it('count down', async () => {
      const answers = new Set<string>();
      for (const seconds of [1, 2, 51]) {
        ways.test.now += seconds * 1_000;
        answers.add((await same(ways, ask('GET', '/', 'text/html'))).answer);
        answers.add((await same(ways, ask('GET', '/api/v1/leaderboard'))).answer);
      }
      expect(answers.size).to.equal(6);
    });

    it('name a new instance each', async () => {
      const answers = await Promise.all([1, 2].map(() => ways.test.get('/api/v1/leaderboard')));
      const instances = answers.map(
        ({ text }) => /"instance":"urn:uuid:(\w{8}-\w{4}-8\w{3}-[89ab]\w{3}-\w{12})"/.exec(text)?.[1],
      );
      expect(new Set(instances).size).to.equal(2);
      expect(instances).to.not.include(undefined);
    });

    it('are not for good tokens from an address that sent bad ones', async () => {
      const { token } = await ways.test.operator('good-token');
      const snapshot = JSON.stringify({});
      const length = ['Content-Type', 'application/json', 'Content-Length', String(snapshot.length)];
      for (const [authorization, status, refused] of [
        ['Bearer x.y.z', 429, 1],
        [`Bearer ${token}x`, 429, 1],
        ['Basic eA==', 429, 1],
        [`Bearer ${token}`, 200, 0],
      ] as const) {
        const headers = ['Host', 'upsilon.test', 'Authorization', authorization];
        expect(await same(ways, requestText('GET', '/api/v1/me', headers))).to.include({ status, refused });
        const posted = await same(ways, requestText('POST', '/api/v1/snapshots', [...headers, ...length]) + snapshot);
        expect(posted).to.include({ status: status === 200 ? 400 : status, refused });
      }
    });

    it('are counted in the metrics as Koa does', async () => {
      ways.test.answered.length = 0;
      await ways.send(ask('GET', '/api/v1/leaderboard') + ask('GET', '/nowhere'));
      const counted = ways.test.answered.filter(({ status }) => status === 429).map(({ route }) => route);
      expect(counted.toSorted()).to.deep.equal(['getLeaderboard', 'getLeaderboard', 'unmatched', 'unmatched']);
    });
  });

  describe('of sign-in and MCP', () => {
    const identities: { close(): Promise<void> }[] = [];
    const rates = ratePolicies({ quota: 20, windowMs: 60_000 });
    const signIn = async (ctx: ApiContext) => {
      const identity = await createIdentity(ctx, html``);
      identities.push(identity);
      return identity.mounts;
    };
    let ways: TwoWays;

    before(async () => {
      ways = await openTwoWays({ rates }, signIn);
    });

    after(async () => {
      await ways[Symbol.asyncDispose]();
      await Promise.all(identities.map((identity) => identity.close()));
    });

    for (const [quota, requests] of [
      [
        SIGN_IN_QUOTAS.pages.quota,
        [
          ['GET', '/login'],
          ['GET', '/login/'],
          ['DELETE', '/login'],
          ['HEAD', '/account'],
          ['GET', '/api/auth/session'],
          ['GET', '/oauth/authorize?client_id=x'],
          ['HEAD', '/oauth/authorize'],
          ['GET', '/oauth/device'],
          ['GET', '/oauth/interaction/AAAAAAAAAAAAAAAAAAAAA'],
          ['GET', '/.well-known/openid-configuration'],
          ['GET', '/.well-known/oauth-authorization-server'],
        ],
      ],
      [
        SIGN_IN_QUOTAS.sign_in.quota,
        [
          ['POST', '/login/email'],
          ['GET', '/auth/callback?state=x'],
        ],
      ],
      [
        SIGN_IN_QUOTAS.token.quota,
        [
          ['POST', '/oauth/token'],
          ['POST', '/oauth/revoke'],
        ],
      ],
      [SIGN_IN_QUOTAS.device.quota, [['POST', '/oauth/device']]],
      [SIGN_IN_QUOTAS.registration.quota, [['POST', '/oauth/register']]],
      [
        20,
        [
          ['POST', '/mcp'],
          ['GET', '/mcp'],
          ['OPTIONS', '/mcp'],
        ],
      ],
    ] as const) {
      const [[method, path]] = requests;
      it(`are those of Koa when the quota of ${method} ${path} is used up`, async () => {
        const allowed = await ways.send(ask(method, path).repeat(quota));
        expect(allowed.fastPath).to.not.contain('HTTP/1.1 429');
        for (const [asked, target] of requests) {
          for (const accept of ACCEPTS) {
            const { status, refused } = await same(ways, ask(asked, target, accept));
            expect([status, refused], `${asked} ${target} ${accept}`).to.deep.equal([429, 1]);
          }
        }
      });
    }

    it('are those of Koa when the addresses have paths', async () => {
      const settings = {
        rates,
        siteUrl: 'http://upsilon.test/board',
        loginUrl: 'http://upsilon.test/id/in',
        authUrl: 'http://upsilon.test/id/as',
      };
      await using below = await openTwoWays(settings, signIn);
      await expectAll(below, [
        ['DELETE', '/id/in/login', 405, 0],
        ['GET', '/id/in/login/', 308, 0],
        ['GET', '/id/as/oauth/interaction/AAAAAAAAAAAAAAAAAAAAA', 400, 0],
        ['GET', '/id/in/.well-known/oauth-authorization-server', 200, 0],
        ['DELETE', '/board/mcp', 405, 0],
        ['GET', '/login', 404, 1],
        ['GET', '/mcp', 404, 1],
      ]);
    });

    it('are left to Koa for the methods and paths that these decide', async () => {
      ways.test.now += 3_600_000;
      await expectAll(ways, [
        ['DELETE', '/login', 405, 0],
        ['GET', '/login/', 308, 0],
        ['POST', '/login/', 404, 1],
        ['GET', '/login/development', 404, 0],
        ['GET', '/login/nowhere', 404, 1],
        ['GET', '/oauth/nowhere', 404, 1],
        ['GET', '/mcp/', 404, 1],
      ]);
    });
  });

  describe('within a quota', () => {
    it('are those of Koa for unknown paths and other methods, and use up the same quota', async () => {
      const quota = 60;
      await using ways = await openTwoWays({
        rates: ratePolicies({ quota, windowMs: 60_000 }),
      });
      const requests = [
        ...UNKNOWN.map((path) => [404, 1, ask('GET', path)] as const),
        ...ACCEPTS.map((accept) => [404, 1, ask('GET', '/nowhere', accept)] as const),
        ...ACCEPTS.map((accept) => [405, 1, ask('PATCH', '/', accept)] as const),
        [404, 1, ask('HEAD', '/nowhere', 'text/html')],
        [404, 1, ask('OPTIONS', '/nowhere')],
        [405, 1, ask('POST', '/api/v1/leaderboard')],
        [405, 1, ask('PUT', '/api/v1/operators/some-name', 'text/html')],
        [405, 1, ask('PUT', '/api/v1/me')],
        [
          405,
          1,
          `${requestText('POST', '/', ['Host', 'upsilon.test', 'Transfer-Encoding', 'chunked'])}1\r\nx\r\n0\r\n\r\n`,
        ],
        [204, 0, ask('OPTIONS', '/api/v1/leaderboard')],
        [308, 0, ask('GET', '/developers/?a=b')],
        [404, 1, ask('GET', 'http://upsilon.test/nowhere')],
        [404, 1, ask('GET', '/nowhere#there')],
        [404, 1, ask('OPTIONS', '*')],
      ] as const;
      for (const [wanted, by, text] of requests) {
        const { status, refused } = await same(ways, text);
        expect([status, refused], text).to.deep.equal([wanted, by]);
      }
      const statuses: number[] = [];
      const counted = requests.filter(([, , text]) => !text.includes(' /api/v1/')).length;
      for (let left = quota - counted; left >= 0; left -= 1) {
        statuses.push((await same(ways, ask('GET', `/nowhere/${left}`))).status);
      }
      expect(statuses.lastIndexOf(404)).to.equal(statuses.length - 2);
      expect(statuses.at(-1)).to.equal(429);
    });

    it('know the hosts', async () => {
      await using ways = await openTwoWays({
        baseUrl: 'https://data.upsilon.test/api/v1',
        loginUrl: 'http://login.upsilon.test',
        siteUrl: 'https://upsilon.test',
        authUrl: 'https://upsilon.test',
      });
      for (const [host, method, status, refused] of [
        ['data.upsilon.test', 'POST', 405, 1],
        ['DATA.upsilon.test', 'POST', 405, 1],
        ['login.upsilon.test', 'GET', 404, 1],
        ['upsilon.test', 'GET', 404, 1],
        ['elsewhere.test', 'GET', 404, 1],
        ['data.upsilon.test:80', 'GET', 404, 1],
        ['login.upsilon.test, data.upsilon.test', 'GET', 404, 1],
        ['x@data.upsilon.test', 'POST', 405, 1],
      ] as const) {
        // Twice, because the last response is kept.
        const answered = await same(ways, ask(method, '/api/v1/leaderboard', '', host).repeat(2));
        expect([answered.status, answered.refused], host).to.deep.equal([status, refused * 2]);
      }
      const elsewhere = await same(ways, ask('GET', '/mcp', '', 'login.upsilon.test, data.upsilon.test'));
      expect([elsewhere.status, elsewhere.refused]).to.deep.equal([404, 1]);
    });
  });
});
