import { connect } from 'node:net';

/** Shared state of the connections of a load. */
export interface LoadState {
  readonly port: number;
  readonly requests: readonly Buffer[];
  next: number;
  responses: number;
  readonly statuses: Map<string, number>;
  broken: number;
  /** Milliseconds, one per response. */
  readonly latencies: number[];
  stopped: boolean;
}

const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: *(\d+)/i;

/** Offset and length of the status in a status line. */
const STATUS_AT = 9;
const STATUS_LENGTH = 3;

/**
 * Sends requests on one connection, one at a time, until the load is stopped; reconnects when the server closes it
 * after a response. Resolves when the load has ended. It supports only responses with Content-Length.
 */
export async function runConnection(state: LoadState): Promise<void> {
  while (!state.stopped) await oneConnection(state);
}

function oneConnection(state: LoadState): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port: state.port, host: '127.0.0.1', noDelay: true });
    let sentAt = 0;
    /** Missing bytes of the response body; -1 while the head is incomplete. */
    let missing = -1;
    let head = '';
    let waiting = false;
    const send = (): void => {
      missing = -1;
      head = '';
      waiting = true;
      sentAt = performance.now();
      socket.write(state.requests[state.next]!);
      state.next = (state.next + 1) % state.requests.length;
    };
    const read = (chunk: Buffer): void => {
      if (missing >= 0) {
        missing -= chunk.length;
      } else {
        head += chunk.toString('latin1');
        const end = head.indexOf(HEAD_END);
        if (end < 0) return;
        missing = bodyLength(head.slice(0, end + 2)) - (head.length - end - HEAD_END.length);
        count(state, head.slice(STATUS_AT, STATUS_AT + STATUS_LENGTH));
      }
      if (missing > 0) return;
      waiting = false;
      state.latencies.push(performance.now() - sentAt);
      if (state.stopped) socket.end();
      else send();
    };
    socket.on('connect', send);
    socket.on('data', read);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (waiting && !state.stopped) state.broken += 1;
      resolve();
    });
  });
}

function bodyLength(head: string): number {
  return Number(LENGTH.exec(head)?.[1] ?? 0);
}

function count(state: LoadState, status: string): void {
  state.responses += 1;
  state.statuses.set(status, (state.statuses.get(status) ?? 0) + 1);
}
