import { expect } from 'chai';
import { PROBLEMS } from '../../../engine/contract/index.ts';
import { openTestApi } from '../../support/test-api.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { listAt } from '../conformance.ts';

describe('api: the service itself', () => {
  const test = useFixture(() =>
    openTestApi({
      context: () => ({ isStopping: () => stopping, storeHealth: () => ({ mongodb, redis: 'up' }) }),
    }),
  );
  let stopping = false;
  let mongodb: 'up' | 'down' = 'up';

  it('is alive', async () => {
    const { status, json, headers } = await test().get('/health/live');
    expect(status).to.equal(200);
    expect(json).to.deep.equal({ status: 'ok' });
    expect(headers.get('ratelimit')).to.equal(null);
  });

  it('is ready until it stops, whatever its stores do, whose health is a detail', async () => {
    mongodb = 'down';
    const [ready, detail] = [await test().get('/health/ready'), await test().get('/health/stores')];
    expect([ready.status, ready.json]).to.deep.equal([200, { status: 'ok' }]);
    expect([detail.status, detail.json]).to.deep.equal([200, { mongodb: 'down', redis: 'up' }]);
    mongodb = 'up';
    stopping = true;
    const { status, json } = await test().get('/health/ready');
    stopping = false;
    expect(status).to.equal(503);
    expect(json).to.deep.include({ code: 'not_ready', status: 503 });
  });

  it('publishes its public keys, and only what is public of them', async () => {
    await test().operator('key-watcher');
    const { status, json } = await test().get('/.well-known/jwks.json');
    expect(status).to.equal(200);
    const [key] = listAt(json, 'keys');
    expect(key).to.include({ kty: 'OKP', crv: 'Ed25519', use: 'sig' });
    expect(key).to.not.have.any.keys('d', 'p', 'q', 'k');
  });

  it('states where to get an access token', async () => {
    const { json } = await test().get('/.well-known/oauth-protected-resource');
    expect(json).to.deep.include({
      resource: 'http://upsilon.test/api/v1',
      authorization_servers: ['http://upsilon.test'],
      scopes_supported: ['openid', 'profile', 'email', 'leagues', 'offline_access'],
      bearer_methods_supported: ['header'],
    });
  });

  it('states it at the address that RFC 9728 derives from the API, too', async () => {
    const { json } = await test().get('/.well-known/oauth-protected-resource/api/v1');
    expect(json).to.deep.equal((await test().get('/.well-known/oauth-protected-resource')).json);
  });

  describe('pages of problem codes', () => {
    it('exist for every code', async () => {
      for (const [code, { title, status, hint }] of Object.entries(PROBLEMS)) {
        expect(hint, code).to.match(/^[A-Z].*[.}]$/s);
        const page = await test().get(`/developers/errors/${code}`, { accept: 'text/html' });
        expect(page.status, code).to.equal(200);
        expect(page.text).to.include(`<h1>${title}</h1>`).and.to.include(String(status));
      }
    });

    it('are refused to who accepts none of their forms', async () => {
      const { status, json, headers } = await test().get('/developers/errors/rate_limited', { accept: 'image/png' });
      expect(status).to.equal(406);
      expect(json).to.include({ code: 'not_acceptable' });
      expect(headers.get('vary')).to.equal('Accept');
    });

    for (const [accept, type] of [
      ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html; charset=utf-8'],
      ['text/markdown', 'text/markdown; charset=utf-8'],
      ['text/markdown, text/html;q=0.9', 'text/markdown; charset=utf-8'],
      ['application/json', 'application/json; charset=utf-8'],
    ] as const) {
      it(`are ${type} for ${accept}`, async () => {
        const { headers, json, text } = await test().get('/developers/errors/rate_limited', { accept });
        expect(headers.get('content-type')).to.equal(type);
        expect(headers.get('vary')).to.match(/^Accept,/);
        if (json !== null) expect(json).to.deep.include({ code: 'rate_limited', status: 429 });
        if (type.startsWith('text/markdown')) expect(text).to.match(/^# Too many requests\n/);
      });
    }

    it('do not exist for other words', async () => {
      for (const code of ['nonsense', 'constructor', '__proto__', 'toString']) {
        expect((await test().get(`/developers/errors/${code}`)).status, code).to.equal(404);
      }
    });
  });

  describe('addresses that do not exist', () => {
    it('are a 404 problem with ways to go on', async () => {
      const { status, json, headers } = await test().get('/api/v1/nothing', { accept: '*/*' });
      expect(status).to.equal(404);
      expect(json).to.deep.include({ code: 'path_unknown', status: 404 });
      expect(json?.['links']).to.deep.equal({
        sitemap: 'http://upsilon.test/sitemap.xml',
        llms: 'http://upsilon.test/llms.txt',
        developers: 'http://upsilon.test/developers',
        description: 'http://upsilon.test/openapi.json',
        leaderboard: 'http://upsilon.test/api/v1/leaderboard',
      });
      expect(headers.get('link')).to.include('<http://upsilon.test/openapi.json>; rel="related"');
    });

    for (const [accept, type] of [
      ['text/markdown', 'text/markdown; charset=utf-8'],
      ['text/html', 'text/html; charset=utf-8'],
      ['application/json', 'application/problem+json; charset=utf-8'],
    ] as const) {
      it(`are told as ${type} to who accepts ${accept}`, async () => {
        const { status, headers, text } = await test().get('/nothing', { accept });
        expect(status).to.equal(404);
        expect(headers.get('content-type')).to.equal(type);
        expect(text).to.include('/llms.txt');
      });
    }

    for (const path of [
      '/api/v1/leaderboard/',
      '/API/v1/leaderboard',
      '/api/v1',
      '/api/v1/operators/',
      '/api/v2/leaderboard',
      '//leaderboard',
      '/metrics',
    ]) {
      it(`are ${path}, too`, async () => expect((await test().get(path)).status).to.equal(404));
    }
  });

  it('lets pages of any origin use a token, and nothing that takes none', async () => {
    for (const [path, allow, origin] of [
      ['/api/v1/snapshots', 'POST, OPTIONS', '*'],
      ['/api/v1/me', 'HEAD, GET, PATCH, DELETE, OPTIONS', '*'],
      ['/api/v1/billing/webhook', 'POST, OPTIONS', null],
    ] as const) {
      const { status, headers } = await test().send(path, { method: 'OPTIONS' });
      expect([status, headers.get('allow')], path).to.deep.equal([204, allow]);
      expect(headers.get('access-control-allow-origin'), path).to.equal(origin);
      expect(headers.get('access-control-allow-credentials'), path).to.equal(null);
      expect(headers.get('access-control-allow-methods'), path).to.equal(origin && allow);
      expect(headers.get('access-control-allow-headers') ?? '', path).to.match(
        origin ? /Authorization, Content-Type/ : /^$/,
      );
    }
    const refused = await test().send('/api/v1/me');
    expect(refused.headers.get('access-control-allow-origin')).to.equal('*');
    expect(refused.headers.get('access-control-expose-headers')).to.include('WWW-Authenticate');
  });

  it('sends headers that keep answers from being anything but data', async () => {
    for (const path of ['/api/v1/leaderboard', '/nothing', '/developers/errors/plan_required']) {
      const { headers } = await test().get(path);
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('content-security-policy')).to.match(/default-src 'none'/);
      expect(headers.get('referrer-policy')).to.equal('no-referrer');
      expect(headers.get('x-powered-by')).to.equal(null);
    }
  });
});
