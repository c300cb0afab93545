import { expect } from 'chai';
import { createHosts } from '../../../api/http/hosts.ts';
import type { Route } from '../../../api/http/route.ts';
import { createRouteTable } from '../../../api/http/route-table.ts';
import { ROUTES } from '../../../api/routes.ts';

const ONE_HOST = {
  baseUrl: 'http://upsilon.test/api/v1',
  siteUrl: 'http://upsilon.test',
  loginUrl: 'http://upsilon.test',
  authUrl: 'http://upsilon.test',
};

const hosts = createHosts(ONE_HOST);
const routes: readonly Route<never>[] = ROUTES;
const table = createRouteTable(routes, hosts);

/** The operation at a target, and its parameters. */
function find(method: string, path: string, host = 'upsilon.test', at = table) {
  const route = at.at(host, path).get(method);
  return route === undefined ? null : [route.operationId, at.params(route, path)];
}

describe('api: the table of routes', () => {
  it('finds every route by its own path', () => {
    for (const route of routes) {
      const method = route.method.toUpperCase();
      const path = hosts.pathOf(route);
      const filled = path.replace(/\{\w+\}/g, 'some.name');
      expect(table.at('any.test', filled).get(method)?.operationId, path).to.equal(route.operationId);
      expect(table.at('any.test', path).get(method)?.operationId, path).to.equal(route.operationId);
    }
  });

  for (const [path, found] of [
    ['/operators/a-b', ['getOperatorPage', { codename: 'a-b' }]],
    ['/operators/%41%2Fb', ['getOperatorPage', { codename: 'A/b' }]],
    ['/operators/%zz', ['getOperatorPage', { codename: '%zz' }]],
    ['/operators/a\nb', ['getOperatorPage', { codename: 'a\nb' }]],
    ['/operators/', null],
    ['/operators/a/', null],
    ['/operators/a/b', null],
    ['/Operators/a', null],
    ['/api/v1/operators/a/history', ['getOperatorHistory', { codename: 'a' }]],
    ['/badge/a.svg.svg', ['getBadge', { codename: 'a.svg' }]],
    ['/badge/.svg', null],
    ['/badge/aXsvg', null],
    ['/%6fperators/a', null],
    ['', null],
  ] as const) {
    it(`finds ${JSON.stringify(found?.[0] ?? null)} at ${JSON.stringify(path)}`, () => {
      expect(find('GET', path)).to.deep.equal(found);
      expect(find('HEAD', path)).to.deep.equal(found);
      expect(find('PUT', path)).to.equal(null);
    });
  }

  it('lists the methods of a path in the order of Allow', () => {
    expect([...table.at('', '/api/v1/me').keys()]).to.deep.equal(['HEAD', 'GET', 'PATCH', 'DELETE']);
  });

  it('has one map for all paths of a pattern, and one for all unknown paths', () => {
    for (const [first, second] of [
      ['/operators/a-b', '/operators/c-d'],
      ['/nowhere', '/nowhere/else'],
    ] as const) {
      expect(table.at('', first)).to.equal(table.at('', second));
    }
    expect(table.at('', '/operators/a-b')).not.to.equal(table.at('', '/nowhere'));
  });

  it('has the routes of each host there alone, and those of every host everywhere', () => {
    const many = createRouteTable(routes, createHosts({ ...ONE_HOST, baseUrl: 'http://data.test/api/v1' }));
    for (const [host, board, page] of [
      ['data.test', 'getLeaderboard', undefined],
      ['DATA.test', 'getLeaderboard', undefined],
      ['upsilon.test', undefined, 'getOperatorPage'],
      ['data.test:80', undefined, undefined],
      ['', undefined, undefined],
    ] as const) {
      expect(find('GET', '/api/v1/leaderboard', host, many)?.[0], host).to.equal(board);
      expect(find('GET', '/operators/a', host, many)?.[0], host).to.equal(page);
      expect(find('GET', '/health/live', host, many)?.[0], host).to.equal('getLiveness');
    }
  });
});
