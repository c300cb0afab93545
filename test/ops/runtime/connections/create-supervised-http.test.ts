import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { queryObjects } from 'node:v8';
import { expect } from 'chai';
import { closeServer, createSupervisedHttp } from '../../../../ops/runtime/connections/index.ts';
import { listenOnFreePort } from '../../../support/listen.ts';

const TIMES = { headersMs: 20, requestMs: 40, keepAliveMs: 1_000, unreadMs: 1_000, checkEveryMs: 10 };

/** Where something has to arrive before the time is over, on a busy machine too. */
const PATIENT = { ...TIMES, headersMs: 2_000, requestMs: 2_000 };

describe('a connection whose request does not come in time', () => {
  it('is refused after a part of one', async () => {
    expect(await answerTo('GET / HTTP/1.1\r\nHost: a', PATIENT)).to.match(/^HTTP\/1\.1 400 /);
  });

  it('closes without a word when it was never used: its browser would read the refusal as the next answer', async () => {
    expect(await answerTo('')).to.equal('');
  });
});

/** What peers are counted by, in place of a text, so that what is kept of it can be counted. */
class Peer {
  readonly madeAt = performance.now();
}
const isKey = (value: unknown): value is string => value instanceof Peer;

describe('the peers of connections that ended', () => {
  it('are kept no longer', async () => {
    const keyOf = (): string | null => {
      const key: unknown = new Peer();
      return isKey(key) ? key : null;
    };
    const { server } = createSupervisedHttp((_request, response) => void response.end(), {
      maxConnections: 100,
      perPeer: { max: 10, keyOf },
      times: PATIENT,
    });
    const port = await listenOnFreePort(server);
    for (let index = 0; index < 5; index++) {
      const client = connect(port, '127.0.0.1');
      client.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      expect(await text(client)).to.match(/^HTTP\/1\.1 200 /);
    }
    await closeServer(server);
    expect(queryObjects(Peer, { format: 'count' })).to.equal(0);
    // Used once more, so that its counts were not collected with it.
    expect(server.listening).to.equal(false);
  });
});

/** All that the server sends to a client that sends this and waits. */
async function answerTo(sent: string, times = TIMES): Promise<string> {
  const { server } = createSupervisedHttp((_request, response) => void response.end(), {
    maxConnections: 1,
    times,
  });
  const client = connect(await listenOnFreePort(server), '127.0.0.1');
  client.write(sent);
  const answer = await text(client);
  await closeServer(server);
  return answer;
}
