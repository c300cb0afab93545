import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { closeServer, createSupervisedHttp } from '../../../../ops/runtime/connections/index.ts';
import { listenOnFreePort } from '../../../support/listen.ts';

const TIMES = { headersMs: 20, requestMs: 40, keepAliveMs: 1_000, unreadMs: 1_000, checkEveryMs: 10 };

describe('a connection whose request does not come in time', () => {
  it('is refused after a part of one', async () => {
    expect(await answerTo('GET / HTTP/1.1\r\nHost: a')).to.match(/^HTTP\/1\.1 400 /);
  });

  it('closes without a word when it was never used: its browser would read the refusal as the next answer', async () => {
    expect(await answerTo('')).to.equal('');
  });
});

/** All that the server sends to a client that sends this and waits. */
async function answerTo(sent: string): Promise<string> {
  const { server } = createSupervisedHttp((_request, response) => void response.end(), {
    maxConnections: 1,
    times: TIMES,
  });
  const client = connect(await listenOnFreePort(server), '127.0.0.1');
  client.write(sent);
  const answer = await text(client);
  await closeServer(server);
  return answer;
}
