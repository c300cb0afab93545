import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as afterPoll } from 'node:timers/promises';
import { expect } from 'chai';
import { closeHttpServer, createHttpServer } from '../../../api/http/http-server.ts';
import { listenOnFreePort } from '../../support/listen.ts';

const GRACE_MS = 500;
const SETTINGS = { siteUrl: 'http://localhost', trustedProxies: [], connectionsPerAddress: 256 };

describe('an http server that closes', () => {
  it('answers on the connections it has, says that they end, refuses new ones, and then puts away what it took', async () => {
    const events: string[] = [];
    const held: (() => void)[] = [];
    const supervised = createHttpServer((asked, response) => {
      const answer = (): void => void response.end(asked.url);
      if (asked.url === '/slow') held.push(answer);
      else answer();
    }, SETTINGS);
    const { server } = supervised;
    const port = await listenOnFreePort(server);
    const agent = new Agent({ keepAlive: true });
    const get = async (path: string, by: Agent = agent): Promise<IncomingMessage> => {
      const asking = request({ host: '127.0.0.1', port, path, agent: by }).end();
      const [answer]: IncomingMessage[] = await once(asking, 'response');
      answer!.resume();
      await once(answer!, 'end');
      return answer!;
    };

    expect((await get('/before')).headers.connection).to.equal('keep-alive');
    const slowAgent = new Agent({ keepAlive: true });
    const arrived = once(server, 'request');
    const slow = get('/slow', slowAgent);
    await arrived;
    const closing = closeHttpServer(
      supervised,
      {
        releaseWaiters() {
          events.push('releaseWaiters');
          for (const answer of held) answer();
        },
        async drain() {
          events.push('drain');
        },
      },
      GRACE_MS,
    );
    expect((await slow).statusCode).to.equal(200);
    const last = await get('/idle-until-now');
    expect({ status: last.statusCode, connection: last.headers.connection }).to.deep.equal({
      status: 200,
      connection: 'close',
    });
    const refused = await get('/new', new Agent()).catch((error: NodeJS.ErrnoException) => error.code);
    expect(refused).to.equal('ECONNREFUSED');
    expect(events).to.deep.equal(['releaseWaiters']);
    await closing;
    expect(events).to.deep.equal(['releaseWaiters', 'drain']);
    for (const each of [agent, slowAgent]) each.destroy();
  });

  it('answers a request that arrived while the process was busy at the end of the grace', async () => {
    const supervised = createHttpServer((asked, response) => void response.end(asked.url), SETTINGS);
    const { server } = supervised;
    const port = await listenOnFreePort(server);
    const client = connect(port, '127.0.0.1');
    client.write('GET /before HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(client, 'data');
    const graceMs = 50;
    const behind = { releaseWaiters: async () => undefined, drain: async () => undefined };
    const closing = closeHttpServer(supervised, behind, graceMs);
    await afterPoll();
    const answer = text(client);
    client.write('GET /late HTTP/1.1\r\nHost: a\r\n\r\n');
    const busyUntil = performance.now() + 2 * graceMs;
    while (performance.now() < busyUntil);
    expect(await answer).to.match(/^HTTP\/1\.1 200 /);
    await closing;
  });
});
