import type { Socket } from 'node:net';
import { MessageReader } from './message-reader.ts';
import type { NativeEngine } from './native-engine.ts';
import { refuseFatal, replyHeader } from './wire.ts';

/**
 * Answers one client's messages in order, as MongoDB does; connections are independent of each other. A message that makes
 * the engine fail ends the connection; so does an incomplete message of which nothing arrives for `messageMs`.
 */
export function serveConnection(engine: NativeEngine, socket: Socket, messageMs: number): void {
  const reader = new MessageReader();
  let answered: Promise<void> = Promise.resolve();
  let replies = 0;
  const answer = async (message: Buffer) => {
    const reply = (await refuseFatal(message)) ?? (await engine.roundTrip(message));
    if (reply.moreToCome || socket.destroyed) return;
    replies += 1;
    socket.cork();
    socket.write(replyHeader(reply, replies));
    socket.write(reply.response);
    socket.uncork();
  };
  socket.setNoDelay();
  socket.on('error', () => socket.destroy());
  socket.on('timeout', () => socket.destroy());
  socket.on('data', (chunk) => {
    try {
      for (const message of reader.push(chunk)) {
        answered = answered.then(() => answer(message)).catch(() => void socket.destroy());
      }
      socket.setTimeout(reader.isPartial ? messageMs : 0);
    } catch {
      socket.destroy();
    }
  });
}
