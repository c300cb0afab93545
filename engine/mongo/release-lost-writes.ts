import { subscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';

let watching = false;

/**
 * Works around a hang of the driver on writes to destroyed sockets. After a write that a socket buffers, the driver waits for
 * `drain` or an error; a destroyed socket emits neither, so the operation and all queued behind it would wait forever without
 * a socket timeout. On an emitted `drain` the driver finds its connection closed and fails the operation. There is no upstream
 * report; the wait came with https://github.com/mongodb/node-mongodb-native/pull/4022 and is in version 7.8.0.
 *
 * Applies once per process, to all sockets opened afterwards; open sockets are not affected.
 */
export function releaseLostWrites(): void {
  if (watching) return;
  watching = true;
  subscribe('net.client.socket', (message) => {
    if (typeof message !== 'object' || message === null || !('socket' in message)) return;
    if (message.socket instanceof Socket) watch(message.socket);
  });
}

function watch(socket: Socket): void {
  // By the next turn of the event loop the driver has seen the socket's close event.
  const release = (): void => void setImmediate(() => socket.emit('drain'));
  // Node replaces the method when the peer has ended the connection, hence the accessor.
  let write: Socket['write'] = socket.write.bind(socket);
  const guarded = (...args: unknown[]): boolean => {
    const flushed: boolean = Reflect.apply(write, socket, args);
    if (socket.destroyed) release();
    return flushed;
  };
  Object.defineProperty(socket, 'write', {
    configurable: true,
    get: () => guarded,
    set: (replacement: Socket['write']) => {
      write = replacement;
    },
  });
  socket.once('close', release);
}
