import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Clients, createClientHeaders } from '../frame/client-headers.ts';
import { LoadConnection, requestText } from '../frame/load-connection.ts';
import { quantile } from '../frame/statistics.ts';
import { serveTasks } from '../frame/task-process.ts';

/** Requests that differ only in their client and in random text. */
export interface LoadRequest {
  /** `RANDOM` in it is other text in each request. */
  readonly path: string;
  /** Sent by POST, as JSON. */
  readonly body?: string;
  /** By default, requests come directly from this machine. */
  readonly clients?: Clients;
  /** The most requests of one load; by default, only time ends it. */
  readonly maxRequests?: number;
}

export interface Load extends LoadRequest {
  readonly port: number;
  readonly connections: number;
  readonly durationMs: number;
  /**
   * Requests per second, independent of responses: an open loop, whose latencies count from when a request was due. By
   * default, each connection sends the next request when it has received a response.
   */
  readonly perSecond?: number;
  /** Latencies of requests due before are not counted: the first of a connection take longer. 0 by default. */
  readonly settleMs?: number;
}

/** The load client of the bench in a separate process. */
const tasks = { load: runLoad, flood: runFlood };
export type ReadTasks = typeof tasks;
serveTasks(tasks);

/** The clients of earlier loads: a later load goes on where the last one ended. */
const headersOf = new Map<string, () => string>();

/** Creates the function that returns the next request. */
function createRequests(port: number, { path, body, clients }: LoadRequest): () => string {
  const key = JSON.stringify(clients);
  const clientHeader = clients === undefined ? () => '' : (headersOf.get(key) ?? createClientHeaders(clients));
  headersOf.set(key, clientHeader);
  const [start = '', end] = path.split('RANDOM');
  if (end === undefined) return () => requestText(port, path, clientHeader(), body);
  return () => requestText(port, `${start}${Math.random().toString(36).slice(2)}${end}`, clientHeader(), body);
}

async function runLoad(load: Load) {
  const { port, connections, durationMs, perSecond, settleMs = 0, maxRequests = Infinity, ...request } = load;
  const nextRequest = createRequests(port, request);
  const statuses = new Map<number, number>();
  const latencies: number[] = [];
  let sent = 0;
  let responses = 0;
  let broken = 0;
  const opened = await LoadConnection.openAll(port, connections);
  const startedAt = performance.now();
  const until = startedAt + durationMs;
  const repeat = async (connection: LoadConnection): Promise<void> => {
    for (;;) {
      const now = performance.now();
      const dueAt = perSecond === undefined ? now : startedAt + (sent * 1_000) / perSecond;
      if (dueAt >= until || sent >= maxRequests) return;
      sent += 1;
      if (dueAt > now) await pause(dueAt - now);
      // A timer may be early by a fraction of a millisecond.
      const since = dueAt > now ? Math.min(dueAt, performance.now()) : dueAt;
      const { status } = await connection.exchange(nextRequest());
      responses += 1;
      if (since >= startedAt + settleMs) latencies.push(performance.now() - since);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(opened.map((connection) => repeat(connection).catch(() => void (broken += 1))));
  for (const connection of opened) connection.close();
  return {
    responses,
    /** Responses by status. */
    statuses: Object.fromEntries(statuses),
    /** Connections that broke during a response. */
    broken,
    seconds: (performance.now() - startedAt) / 1000,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
}

interface Flood extends LoadRequest {
  readonly port: number;
  readonly connections: number;
  readonly durationMs: number;
  /** Requests per second, whether responses come or not. */
  readonly perSecond: number;
}

/** What a flood sends at once after a pause of its own, in milliseconds of its rate: not more, because it has no bursts. */
const MAX_BURST_MS = 4;

/** Requests of one connection of a flood: servers close those that had many. */
const MAX_PER_CONNECTION = 5_000;

const RESPONSE = Buffer.from('HTTP/1.1 ');

/**
 * Sends requests as they are due and only counts the responses, until all have come: with less CPU time than a service needs for
 * them.
 */
async function runFlood({ port, connections, durationMs, perSecond, ...request }: Flood) {
  const nextRequest = createRequests(port, request);
  let responses = 0;
  const closed: Promise<unknown>[] = [];
  const open = () => {
    const socket = openSocket(port, (count) => (responses += count));
    closed.push(once(socket, 'close'));
    return { socket, left: MAX_PER_CONNECTION };
  };
  const opened = Array.from({ length: connections }, open);
  const startedAt = performance.now();
  let sent = 0;
  for (let then = startedAt; then < startedAt + durationMs; ) {
    const now = performance.now();
    const due = Math.round((Math.min(now - then, MAX_BURST_MS) * perSecond) / 1_000);
    then = now;
    for (const [index, one] of opened.entries()) {
      const own = Math.floor((due + index) / connections);
      if (own === 0) continue;
      one.socket.write(Array.from({ length: own }, nextRequest).join(''), 'latin1');
      one.left -= own;
      if (one.left > 0) continue;
      one.socket.end();
      opened[index] = open();
    }
    sent += due;
    await pause(1);
  }
  for (const { socket } of opened) socket.end();
  await Promise.all(closed);
  return { sent, responses, seconds: (performance.now() - startedAt) / 1_000 };
}

function openSocket(port: number, seen: (responses: number) => void): Socket {
  const socket = connect(port, '127.0.0.1').setNoDelay();
  const count = (bytes: Buffer): number => {
    let found = 0;
    for (let at = bytes.indexOf(RESPONSE); at >= 0; at = bytes.indexOf(RESPONSE, at + RESPONSE.length)) found += 1;
    return found;
  };
  const shared = RESPONSE.length - 1;
  let end: Buffer = Buffer.alloc(0);
  return socket.on('data', (chunk: Buffer) => {
    // Two chunks may share the beginning of a response.
    const seam = Buffer.concat([end, chunk.subarray(0, shared)]);
    seen(count(chunk) + count(seam));
    end = (chunk.length < shared ? seam : chunk).subarray(-shared);
  });
}
