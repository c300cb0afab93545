import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import Koa from 'koa';
import * as z from 'zod';
import { executeRoute } from '../../../api/http/execute-route.ts';
import { createHosts } from '../../../api/http/hosts.ts';
import type { HttpContext } from '../../../api/http/http-context.ts';
import { Problem } from '../../../api/http/problem.ts';
import { createRateLimiter } from '../../../api/http/rate-limit/rate-limiter.ts';
import { RATE_POLICIES } from '../../../api/http/rate-limit/rate-policy.ts';
import { type Route, type RouteResult, routesFor } from '../../../api/http/route.ts';
import { toExchange } from '../../../api/http/serve-routes.ts';
import { objectAt } from '../conformance.ts';

const defineRoute = routesFor<HttpContext>();

const ADDRESS = 'http://upsilon.test';

/** Runs a route without any framework around it. */
async function run(
  handle: () => RouteResult,
  changes: Partial<Route<HttpContext>> = {},
  error: Error = new Problem('token_missing'),
) {
  const faults: Readonly<Record<string, unknown>>[] = [];
  const route = defineRoute({
    method: 'get',
    surface: 'base',
    path: '/thing',
    operationId: 'getThing',
    summary: 'A thing',
    description: 'A thing.',
    tag: 'things',
    auth: 'public',
    successes: [{ status: 200, description: 'A thing.', schema: z.object({ name: z.string() }) }],
    problems: ['operator_unknown'],
    limit: 'public',
    handle,
  });
  const request = new IncomingMessage(new Socket());
  const koa = new Koa().createContext(request, new ServerResponse(request));
  const exchange = toExchange(koa, () => 'client');
  const limiter = createRateLimiter(RATE_POLICIES, () => 0);
  const config = {
    baseUrl: ADDRESS,
    siteUrl: ADDRESS,
    loginUrl: ADDRESS,
    authUrl: ADDRESS,
  };
  const outcome = await executeRoute({ ...route, ...changes }, exchange, {
    config,
    clock: () => 0,
    log: { warn: () => undefined, error: (fields: Readonly<Record<string, unknown>>) => faults.push(fields) },
    metrics: { http: { answered: () => undefined, refused: () => undefined } },
    board: { view: () => expect.fail('no handler reads the board') },
    limiter,
    authenticator: {
      authenticate: () => Promise.reject(error),
      verifies: async () => false,
    },
    clientKey: () => 'client',
    hosts: createHosts(config),
    problemPages: (_problem, rendered) => rendered,
  });
  if (outcome === null) return expect.fail('a result was returned');
  const json = outcome.body === null ? null : objectAt(JSON.parse(outcome.body.toString()));
  return { outcome, json, faults, failed: RATE_POLICIES.failures.quota - limiter.peek('failures', 'client').remaining };
}

describe('api: what leaves', () => {
  it('is what the schema describes, and no more', async () => {
    const { outcome, json, faults } = await run(() => ({
      kind: 'json',
      status: 200,
      body: { name: 'thing', secret: 'x' },
    }));
    expect(outcome.status).to.equal(200);
    expect(json).to.deep.equal({ name: 'thing' });
    expect(outcome.headers['Content-Length']).to.equal(String(outcome.body?.length));
    expect(faults).to.deep.equal([]);
  });

  for (const [what, answer] of [
    ['a body that does not fit', { kind: 'json', status: 200, body: { name: 7 } }],
    ['a status that is not described', { kind: 'json', status: 201, body: { name: 'thing' } }],
  ] satisfies [string, RouteResult][]) {
    it(`is never ${what}: that is a fault of ours`, async () => {
      const { outcome, json, faults } = await run(() => answer);
      expect(outcome.status).to.equal(500);
      expect(json).to.deep.include({ code: 'internal_error' });
      expect(faults.map(({ route }) => route)).to.deep.equal(['getThing']);
      expect(faults[0]?.['instance']).to.equal(json?.['instance']);
    });
  }

  it('says nothing of an unexpected error but that it happened', async () => {
    const { outcome, faults } = await run(() => {
      throw new Error('the password is swordfish');
    });
    expect(outcome.status).to.equal(500);
    expect(outcome.body?.toString()).to.not.include('swordfish');
    expect(faults[0]?.['err']).to.be.instanceOf(Error);
  });

  it('reports a problem that the route does not list', async () => {
    const listed = await run(() => {
      throw new Problem('operator_unknown');
    });
    expect([listed.outcome.status, listed.faults.length]).to.deep.equal([404, 0]);
    const unlisted = await run(() => {
      throw new Problem('device_unknown');
    });
    expect([unlisted.outcome.status, unlisted.faults.length]).to.deep.equal([404, 1]);
  });

  for (const [what, error, status, counted] of [
    ['a token is refused', new Problem('token_invalid'), 401, 1],
    ['the accounts cannot be read', new Error('no primary'), 500, 0],
  ] as const) {
    it(`counts ${counted} failed tokens of a client when ${what}`, async () => {
      const { outcome, failed } = await run(() => expect.fail('no handler runs'), { auth: 'operator' }, error);
      expect([outcome.status, failed]).to.deep.equal([status, counted]);
    });
  }

  it('is read no further once its client is gone', async () => {
    const end = new EventEmitter();
    const ended = once(end, 'ended');
    async function* gzipped(): AsyncGenerator<Buffer> {
      try {
        for (;;) yield gzipSync(randomBytes(1_024));
      } finally {
        end.emit('ended');
      }
    }
    const answer = { kind: 'streamed', status: 200, mediaType: 'text/csv', gzipped, bytes: 1 } as const;
    const { outcome } = await run(() => answer);
    await once(outcome.stream!, 'readable');
    outcome.stream!.destroy();
    await ended;
  });

  it('reports its retirement in every response', async () => {
    const deprecation = {
      sunset: new Date(Date.UTC(2030, 0, 2)),
      link: { href: 'http://upsilon.test/api/v2/thing', rel: 'successor-version' },
    } as const;
    for (const handle of [
      (): RouteResult => ({ kind: 'json', status: 200, body: { name: 'thing' } }),
      (): RouteResult => {
        throw new Problem('operator_unknown');
      },
    ]) {
      const { headers } = (await run(handle, { deprecation })).outcome;
      expect(headers).to.include({
        Deprecation: 'true',
        Sunset: 'Wed, 02 Jan 2030 00:00:00 GMT',
        Link: '<http://upsilon.test/api/v2/thing>; rel="successor-version"',
      });
    }
  });
});
