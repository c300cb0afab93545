import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect } from 'chai';
import { closeHttpServer, createHttpServer } from '../../api/http/http-server.ts';
import { startConsole } from '../../ops/commands/start-console.ts';
import { createPeerKey, type HttpTimes, superviseConnections } from '../../ops/runtime/connections/index.ts';
import { createMetricsServer, createRegistry } from '../../ops/runtime/telemetry/index.ts';
import { eventually } from '../support/eventually.ts';
import { listenOnFreePort } from '../support/listen.ts';
import { StuckClients, watchAccepted } from '../support/stuck-clients.ts';
import { openTestApi, type TestApi } from '../support/test-api.ts';
import { useFixture } from '../support/use-fixture.ts';
import { requestText } from '../support/wire.ts';

/** The service's own are tens of seconds. */
const TIMES: HttpTimes = { headersMs: 300, requestMs: 500, keepAliveMs: 2_000, unreadMs: 500, checkEveryMs: 50 };
const LAST_MS = 200;
const CLIENTS = 20;

const HALF_HEAD = 'GET /api/v1/leaderboard HTTP/1.1\r\nHost: upsilon.test\r\nX-Slow: ';
const NO_REQUEST = 'no request at all\r\n\r\n';

function stalledBody(path: string): string {
  return `${requestText('POST', path, ['Host', 'upsilon.test', 'Content-Type', 'application/json', 'Content-Length', '900'])}{"`;
}

/** Requests whose responses exceed the system's buffers of a connection. */
function longAnswers(path: string, count: number): string {
  return requestText('GET', path, ['Host', 'upsilon.test']).repeat(count);
}

describe('abuse: connections that are never closed', () => {
  const accepted = useFixture(watchAccepted);

  describe('to the api', () => {
    let test: TestApi;

    const closed: string[] = [];

    before(async () => {
      const metrics = { connectionClosed: (reason: string) => void closed.push(reason) };
      test = await openTestApi({ server: { times: TIMES, metrics } });
    });
    const port = useFixture(() => Number(new URL(test.origin).port));

    after(() => test[Symbol.asyncDispose]());

    const kinds: readonly [what: string, bytes: string, reason: string][] = [
      ['send nothing', '', 'timeout'],
      ['send half a head', HALF_HEAD, 'timeout'],
      ['stop within a body', stalledBody('/api/v1/snapshots'), 'timeout'],
      ['send what is no request', NO_REQUEST, 'malformed'],
      ['read nothing of long answers', longAnswers('/openapi.json', 400), 'unread'],
    ];
    for (const [what, bytes, reason] of kinds) {
      it(`are gone when they ${what}, while an honest client is served`, async () => {
        using stuck = new StuckClients(port());
        closed.length = 0;
        await stuck.open(CLIENTS, bytes);
        await eventually('no connection but the honest one', async () => {
          expect((await test.get('/api/v1/leaderboard')).status).to.equal(200);
          return accepted().held(port()) <= 1;
        });
        expect(closed).to.include(reason).and.to.have.length.of.at.least(CLIENTS);
      });
    }
  });

  it('to the metrics port are gone, and it answers', async () => {
    const server = await createMetricsServer({
      registry: createRegistry(),
      host: '127.0.0.1',
      port: 0,
      times: TIMES,
    });
    try {
      using stuck = new StuckClients(server.port);
      for (const bytes of ['', HALF_HEAD, stalledBody('/metrics'), longAnswers('/metrics', 800)]) {
        await stuck.open(2, bytes);
      }
      await eventually('no connection', () => accepted().held(server.port) === 0);
      await eventually('an answer', async () => (await fetch(`http://127.0.0.1:${server.port}/metrics`)).ok);
    } finally {
      await server.close();
    }
  });

  it('to the queue console are gone', async () => {
    const open = await startConsole({ queues: [], port: 0, writable: false, times: TIMES });
    try {
      const { port, href } = new URL(open.url);
      using stuck = new StuckClients(Number(port));
      for (const bytes of ['', HALF_HEAD, stalledBody('/'), NO_REQUEST]) await stuck.open(5, bytes);
      await eventually('no connection', () => accepted().held(Number(port)) === 0);
      await eventually('an answer', async () => (await fetch(href, { redirect: 'manual' })).status === 302);
    } finally {
      await open.close();
    }
  });

  it('do not hold up a graceful stop', async () => {
    const settings = { siteUrl: 'http://localhost', trustedProxies: [], connectionsPerAddress: 256 };
    const long = Buffer.alloc(16 * 2 ** 20);
    // The times of the service: none of them ends before the stop is over.
    const supervised = createHttpServer((_, response) => void response.end(long), settings);
    const port = await listenOnFreePort(supervised.server);
    using stuck = new StuckClients(port);
    for (const bytes of ['', HALF_HEAD, stalledBody('/'), longAnswers('/', 1)]) await stuck.open(5, bytes);
    await eventually('every connection', () => accepted().held(port) === 20);
    await closeHttpServer(supervised, { releaseWaiters: () => undefined, drain: async () => undefined }, 0, LAST_MS);
    expect(accepted().held(port)).to.equal(0);
  });
});

/** Other loopback addresses in place of those of other machines. */
function keyOf(address: string): string | null {
  return address === '127.0.0.1' ? null : address;
}

describe('connections of one address', () => {
  it('are bounded, and room is made when one ends', async () => {
    const reasons: string[] = [];
    const server = createServer();
    const port = await listenOnFreePort(server);
    superviseConnections(server, {
      maxConnections: 100,
      perPeer: { max: 2, keyOf },
      unreadMs: 1_000,
      minBytesPerMs: 16,
      checkEveryMs: 1_000,
      onClosed: (reason) => void reasons.push(reason),
    });
    const open = async (localAddress: string) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      await once(socket, 'connect');
      return socket;
    };
    const first = await open('127.0.0.2');
    const others = [await open('127.0.0.2'), await open('127.0.0.3')];
    for (let uncounted = 0; uncounted < 5; uncounted++) others.push(await open('127.0.0.1'));
    expect(reasons).to.deep.equal([]);
    const refused = await open('127.0.0.2');
    await once(refused.resume(), 'close');
    expect(reasons).to.deep.equal(['peer_limit']);
    first.destroy();
    const count = async () => new Promise<number>((resolve) => server.getConnections((_, held) => resolve(held)));
    await eventually('room', async () => (await count()) === 7);
    others.push(await open('127.0.0.2'));
    await eventually('one more', async () => (await count()) === 8);
    expect(reasons).to.deep.equal(['peer_limit']);
    for (const socket of others) socket.destroy();
    server.close();
  });

  it('are refused over the limit of the process, which is reported', async () => {
    const reasons: string[] = [];
    const server = createServer();
    const port = await listenOnFreePort(server);
    const onClosed = (reason: string): void => void reasons.push(reason);
    superviseConnections(server, {
      maxConnections: 2,
      unreadMs: 1_000,
      minBytesPerMs: 16,
      checkEveryMs: 1_000,
      onClosed,
    });
    const sockets = Array.from({ length: 3 }, () => connect({ port, host: '127.0.0.1' }));
    await Promise.race(sockets.map((socket) => once(socket.resume(), 'close')));
    expect(reasons).to.deep.equal(['process_limit']);
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it('are counted by IPv4 address and IPv6 network, but not of loopback and trusted proxies', () => {
    const peerKeyOf = createPeerKey([{ address: '10.0.0.0', prefix: 8, family: 'ipv4' }]);
    for (const uncounted of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '10.1.2.3', '::ffff:10.1.2.3']) {
      expect(peerKeyOf(uncounted), uncounted).to.equal(null);
    }
    expect(peerKeyOf('192.0.2.7')).to.equal('192.0.2.7');
    expect(peerKeyOf('::ffff:192.0.2.7')).to.equal('192.0.2.7');
    expect(peerKeyOf('2001:db8::1')).to.equal(peerKeyOf('2001:db8::ffff'));
  });
});
