import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;

/** A parsed answer; the body is text, and the head is its status line and headers as they came. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/**
 * One keep-alive connection of a load generator: sends ready-made bytes and reads one answer at a time. It exists because
 * a client library would take as much of the machine as the service that is measured.
 */
export class LoadConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #answered: ((answer: RawAnswer) => void) | null = null;
  #failed: ((error: Error) => void) | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay();
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) => this.#failed?.(error));
    socket.on('close', () => this.#failed?.(new Error('the connection was closed')));
  }

  static open(host: string, port: number): Promise<LoadConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, host, () => resolve(new LoadConnection(socket)));
      socket.once('error', reject);
    });
  }

  exchange(request: Buffer): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#failed = null;
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = this.#received.toString('latin1', 0, headEnd);
    const bodyStart = headEnd + HEAD_END.length;
    const bodyEnd = bodyStart + Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0);
    if (this.#received.length < bodyEnd) return;
    const body = this.#received.toString('latin1', bodyStart, bodyEnd);
    this.#received = this.#received.subarray(bodyEnd);
    const answered = this.#answered;
    this.#answered = null;
    answered?.({ status: Number(head.slice(9, 12)), head, body });
  }
}
