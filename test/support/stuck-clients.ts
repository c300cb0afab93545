import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect, Socket } from 'node:net';

/** The open sockets that servers of this process accepted. */
export interface AcceptedSockets extends Disposable {
  /** Number of open sockets of a port, including half-closed ones. */
  held(port: number): number;
}

/** Tracks the sockets that servers of this process accept from now on. */
export function watchAccepted(): AcceptedSockets {
  const accepted = new Map<Socket, number | undefined>();
  const onSocket = (message: unknown): void => {
    if (typeof message !== 'object' || message === null || !('socket' in message)) return;
    const { socket } = message;
    if (socket instanceof Socket) accepted.set(socket, socket.localPort);
  };
  subscribe('net.server.socket', onSocket);
  return {
    held: (port) => [...accepted].filter(([socket, at]) => at === port && !socket.destroyed).length,
    [Symbol.dispose]: () => void unsubscribe('net.server.socket', onSocket),
  };
}

/** A connection that sends something and stays open when the server ends its side. */
export function connectRaw(port: number, bytes: string): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  return socket.once('connect', () => socket.write(bytes, 'latin1')).pause();
}

/** Whether a server accepts connections to a port at an address of this machine. */
export async function isAccepted(port: number, host: string): Promise<boolean> {
  const socket = connect({ port, host });
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}

/** Resolves when the server has destroyed a connection: half closed, it would still take what is written. */
export async function untilGone(socket: Socket): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    socket.once('error', () => resolve());
    socket.once('close', () => resolve());
  });
  const poke = setInterval(() => socket.readableEnded && socket.write('x'), 20);
  socket.resume();
  await gone;
  clearInterval(poke);
  socket.destroy();
}

/** Connections that send something, read nothing and never close, whatever the server does. */
export class StuckClients implements Disposable {
  readonly #sockets: Socket[] = [];
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
  }

  /** Opens some. */
  async open(count: number, bytes: string): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.#openOne(bytes)));
  }

  #openOne(bytes: string): Promise<void> {
    const socket = connectRaw(this.#port, bytes);
    this.#sockets.push(socket);
    return new Promise((resolve) => {
      socket.once('error', () => resolve());
      socket.once('connect', () => resolve());
    });
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
