import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;
const CHUNKED = /\r\ntransfer-encoding: *chunked/i;

/** A response; `head` is its status line and headers. */
interface RawResponse {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

/**
 * One keep-alive connection of a load generator: sends prepared bytes or text of one byte a character, and reads one response at a
 * time, of a known length. It exists because a client library would use as much CPU as the measured service.
 */
export class LoadConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #resolve: ((response: RawResponse) => void) | null = null;
  #reject: ((error: Error) => void) | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay();
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) => this.#reject?.(error));
    socket.on('close', () => this.#reject?.(new Error('the connection was closed')));
  }

  /** Connects to a server of this machine. */
  static open(port: number): Promise<LoadConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new LoadConnection(socket)));
      socket.once('error', reject);
    });
  }

  static openAll(port: number, count: number): Promise<LoadConnection[]> {
    return Promise.all(Array.from({ length: count }, () => LoadConnection.open(port)));
  }

  exchange(request: Buffer | string): Promise<RawResponse> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#socket.write(request, 'latin1');
    });
  }

  close(): void {
    this.#reject = null;
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = this.#received.toString('latin1', 0, headEnd);
    if (CHUNKED.test(head)) throw new Error(`a response in chunks cannot be measured: ${head}`);
    const bodyStart = headEnd + HEAD_END.length;
    const bodyEnd = bodyStart + Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0);
    if (this.#received.length < bodyEnd) return;
    const body = this.#received.subarray(bodyStart, bodyEnd);
    this.#received = this.#received.subarray(bodyEnd);
    const deliver = this.#resolve;
    this.#resolve = null;
    deliver?.({ status: Number(head.slice(9, 12)), head, body });
  }
}
