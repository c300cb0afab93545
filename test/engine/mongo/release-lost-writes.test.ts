import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { releaseLostWrites } from '../../../engine/mongo/release-lost-writes.ts';
import { listenOnFreePort } from '../../support/listen.ts';

describe('writes to closed sockets', () => {
  let server: Server;
  let accepted: Promise<Socket>;
  let client: Socket;

  beforeEach(async () => {
    releaseLostWrites();
    server = createServer({ pauseOnConnect: true });
    const port = await listenOnFreePort(server);
    accepted = once(server, 'connection').then(([socket]) => socket);
    client = connect({ host: '127.0.0.1', port });
    client.on('error', () => undefined);
    await once(client, 'connect');
  });

  afterEach(async () => {
    client.destroy();
    (await accepted).destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it('do not wait on a destroyed socket', async () => {
    client.destroy();
    const drained = once(client, 'drain');
    expect(client.write('lost')).to.equal(false);
    expect(await drained).to.deep.equal([]);
  });

  it('do not wait after the peer has ended the connection', async () => {
    (await accepted).end();
    client.resume();
    await once(client, 'end');
    client.destroy();
    const drained = once(client, 'drain');
    expect(client.write('lost')).to.equal(false);
    expect(await drained).to.deep.equal([]);
  });

  it('are abandoned when the socket closes meanwhile', async () => {
    const events: string[] = [];
    for (const name of ['close', 'drain']) client.on(name, () => events.push(name));
    while (client.write(Buffer.alloc(1 << 20)));
    client.destroy();
    await once(client, 'drain');
    expect(events).to.deep.equal(['close', 'drain']);
  });

  it('are unaffected while the socket is open', async () => {
    const other = await accepted;
    expect(client.write('kept')).to.equal(true);
    other.resume();
    const [bytes] = await once(other, 'data');
    expect(String(bytes)).to.equal('kept');
  });
});
