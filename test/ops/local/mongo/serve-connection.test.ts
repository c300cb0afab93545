import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { MessageReader } from '../../../../ops/local/mongo/message-reader.ts';
import type { NativeEngine } from '../../../../ops/local/mongo/native-engine.ts';
import { serveConnection } from '../../../../ops/local/mongo/serve-connection.ts';
import { listenOnFreePort } from '../../../support/listen.ts';

const [SLOW, UNANSWERED, QUICK, FAILING] = [1, 2, 3, 4];

/** A message of nothing but its header. */
function message(requestId: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeInt32LE(bytes.length, 0);
  bytes.writeInt32LE(requestId, 4);
  bytes.writeInt32LE(2013, 12);
  return bytes;
}

/** Replies after some milliseconds, at once, not at all, or fails: by the id of the request. */
const engine: NativeEngine = {
  async roundTrip(request) {
    const requestId = request.readInt32LE(4);
    if (requestId === SLOW) await pause(5);
    if (requestId === FAILING) throw new Error('the engine failed');
    return { requestId, moreToCome: requestId === UNANSWERED, legacy: false, response: Buffer.from('document') };
  },
  close: async () => {},
};

describe('a connection to the embedded MongoDB', () => {
  let server: Server;
  let socket: Socket;

  async function open(messageMs: number): Promise<void> {
    server = createServer((accepted) => serveConnection(engine, accepted, messageMs));
    socket = connect(await listenOnFreePort(server), '127.0.0.1');
  }

  afterEach(() => {
    socket.destroy();
    server.close();
  });

  /** Sends requests in one piece and returns the requests that were replied to, up to the reply to the last. */
  async function repliesTo(...requests: number[]): Promise<number[]> {
    socket.write(Buffer.concat(requests.map(message)));
    const reader = new MessageReader();
    const replies: number[] = [];
    while (replies.at(-1) !== requests.at(-1)) {
      const [chunk]: Buffer[] = await once(socket, 'data');
      for (const reply of reader.push(chunk!)) replies.push(reply.readInt32LE(8));
    }
    return replies;
  }

  it('gets replies in the order of its requests, and none to a request that wants none', async () => {
    await open(60_000);
    expect(await repliesTo(SLOW, UNANSWERED, QUICK)).to.deep.equal([SLOW, QUICK]);
  });

  it('is closed when a message is not continued, but may be idle between messages', async () => {
    await open(10);
    expect(await repliesTo(QUICK)).to.deep.equal([QUICK]);
    await pause(50);
    expect(await repliesTo(QUICK)).to.deep.equal([QUICK]);
    socket.write(message(QUICK).subarray(0, 15));
    await once(socket, 'close');
  });

  it('is closed when the engine fails to reply, after the replies before it', async () => {
    await open(60_000);
    const closed = once(socket, 'close');
    expect(await repliesTo(QUICK)).to.deep.equal([QUICK]);
    socket.write(message(FAILING));
    await closed;
  });
});
