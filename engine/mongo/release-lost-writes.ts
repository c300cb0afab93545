import { subscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';

let watching = false;

/**
 * Lets the driver notice writes to sockets that are gone. After a write that a socket does not take at once it waits for
 * `drain` or an error; a destroyed socket does neither any more, so the operation, and whatever queues behind it, would
 * wait for ever, and no socket timeout runs. Told to go on, the driver finds its connection closed and fails the operation.
 *
 * Once a process, for all sockets that it opens from then on; one that is alive is left as it is.
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
  // By the next turn of the event loop the socket's own end has been told to the driver.
  const release = (): void => void setImmediate(() => socket.emit('drain'));
  // Node replaces the method when the other side has ended the connection, hence the accessor.
  let write: Socket['write'] = socket.write.bind(socket);
  const guarded = (...args: unknown[]): boolean => {
    const taken: boolean = Reflect.apply(write, socket, args);
    if (socket.destroyed) release();
    return taken;
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
