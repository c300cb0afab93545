import { createServer } from 'node:http';
import { expect } from 'chai';
import Koa from 'koa';
import * as z from 'zod';
import { createHosts } from '../../../api/http/hosts.ts';
import type { HttpContext } from '../../../api/http/http-context.ts';
import { createRateLimiter } from '../../../api/http/rate-limit/rate-limiter.ts';
import { ratePolicies } from '../../../api/http/rate-limit/rate-policy.ts';
import { type Route, routesFor } from '../../../api/http/route.ts';
import { serveRoutes } from '../../../api/http/serve-routes.ts';
import { ROUTES } from '../../../api/routes.ts';
import { listenOnFreePort } from '../../support/listen.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { overTheWire, requestText } from '../../support/wire.ts';

const ONE_HOST = {
  baseUrl: 'http://upsilon.test/api/v1',
  siteUrl: 'http://upsilon.test',
  loginUrl: 'http://upsilon.test',
  authUrl: 'http://upsilon.test',
  issuer: 'http://upsilon.test',
};

const MANY_HOSTS = { ...ONE_HOST, baseUrl: 'http://data.test/v/api/v1', authUrl: 'http://auth.test:8443/id' };

const defineRoute = routesFor<HttpContext>();

/** The product's addresses, with handlers that return the operation and its parameters. */
const routes = ROUTES.map(({ method, surface, path, wellKnown, operationId }: Route<never>) =>
  defineRoute({
    method,
    surface,
    path,
    ...(wellKnown === undefined ? {} : { wellKnown }),
    operationId,
    summary: '',
    description: '',
    tag: '',
    auth: 'public',
    limit: null,
    successes: [{ status: 200, description: '', schema: z.array(z.unknown()) }],
    handle: (_input, { koa }) => ({ kind: 'json', status: 200, body: [operationId, koa['params']] }),
  }),
);

async function listen(config: typeof ONE_HOST) {
  const koa = new Koa();
  serveRoutes(koa, routes, {
    config,
    clock: () => 0,
    log: { warn: () => undefined, error: () => undefined },
    metrics: { http: { answered: () => undefined, refused: () => undefined } },
    board: { view: () => expect.fail('no handler reads the board') },
    limiter: createRateLimiter(ratePolicies({ quota: 1_000 }), () => 0),
    authenticator: {
      authenticate: () => expect.fail('no route takes a token'),
      verifies: async () => false,
    },
    clientKey: () => 'client',
    hosts: createHosts(config),
    problemPages: (_problem, outcome) => outcome,
  });
  const handle = koa.callback();
  const server = createServer((request, response) => void handle(request, response));
  return { port: await listenOnFreePort(server), close: () => server.close() };
}

describe('api: the router', () => {
  const oneHost = useFixture(() => listen(ONE_HOST));
  const manyHosts = useFixture(() => listen(MANY_HOSTS));

  /** Status and body of a response, and its Allow header. */
  async function ask(method: string, path: string, host = 'upsilon.test', { port } = oneHost()) {
    const text = await overTheWire(port, requestText(method, path, ['Host', host, 'Connection', 'close']));
    const [head = '', body = ''] = text.split('\r\n\r\n');
    return { status: Number(head.slice(9, 12)), body, allow: /^Allow: (.*)$/m.exec(head)?.[1] };
  }

  it('finds every route by its own path', async () => {
    const { pathOf } = createHosts(ONE_HOST);
    for (const route of routes) {
      const path = pathOf(route).replace(/\{\w+\}/g, 'some.name');
      const { body } = await ask(route.method.toUpperCase(), path);
      expect(JSON.parse(body)[0], path).to.equal(route.operationId);
    }
  });

  for (const [path, found] of [
    ['/operators/a-b', ['getOperatorPage', { codename: 'a-b' }]],
    ['/operators/%41%2Fb', ['getOperatorPage', { codename: 'A/b' }]],
    ['/operators/%zz', ['getOperatorPage', { codename: '%zz' }]],
    ['/operators/', null],
    ['/operators/a/', null],
    ['/operators/a/b', null],
    ['/Operators/a', null],
    ['/api/v1/operators/a/history', ['getOperatorHistory', { codename: 'a' }]],
    ['/badge/a.svg.svg', ['getBadge', { codename: 'a.svg' }]],
    ['/badge/.svg', null],
    ['/badge/aXsvg', null],
    ['/%6fperators/a', null],
  ] as const) {
    it(`finds ${JSON.stringify(found?.[0] ?? null)} at ${path}`, async () => {
      const { status, body } = await ask('GET', path);
      expect(found === null ? status : JSON.parse(body)).to.deep.equal(found ?? 404);
      expect((await ask('HEAD', path)).status).to.equal(found === null ? 404 : 200);
      expect((await ask('PUT', path)).status).to.equal(found === null ? 404 : 405);
    });
  }

  it('lists the methods of a path', async () => {
    expect(await ask('PUT', '/api/v1/me')).to.include({ status: 405, allow: 'HEAD, GET, PATCH, DELETE, OPTIONS' });
  });

  it('has the routes of each host there alone, and those of every host everywhere', async () => {
    for (const [host, board, page, keys] of [
      ['data.test', 200, 404, 404],
      ['DATA.test', 200, 404, 404],
      ['upsilon.test', 404, 200, 404],
      ['auth.test:8443', 404, 404, 200],
      ['data.test:80', 404, 404, 404],
      ['xdata.test', 404, 404, 404],
    ] as const) {
      const statusOf = async (path: string): Promise<number> => (await ask('GET', path, host, manyHosts())).status;
      expect(await statusOf('/v/api/v1/leaderboard'), host).to.equal(board);
      expect(await statusOf('/id/.well-known/jwks.json'), host).to.equal(keys);
      expect(await statusOf('/operators/a'), host).to.equal(page);
      expect(await statusOf('/health/live'), host).to.equal(200);
    }
  });

  it('keeps browsers to https at hosts that serve https alone', () => {
    const { transportOf } = createHosts({
      ...MANY_HOSTS,
      baseUrl: 'https://data.test/v',
      loginUrl: 'https://upsilon.test',
    });
    expect(transportOf('data.test')).to.have.keys('Strict-Transport-Security');
    for (const host of ['upsilon.test', 'auth.test:8443', 'elsewhere.test', null])
      expect(transportOf(host)).to.deep.equal({});
  });
});
