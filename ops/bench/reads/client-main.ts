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
}

interface Load extends LoadRequest {
  readonly port: number;
  readonly connections: number;
  readonly durationMs: number;
  /**
   * Requests per second, independent of responses: an open loop, whose latencies count from when a request was due. By
   * default, each connection sends the next request when it has received a response.
   */
  readonly perSecond?: number;
}

/** The load client of the bench in a separate process. */
const tasks = { load: runLoad };
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

async function runLoad({ port, connections, durationMs, perSecond, ...request }: Load) {
  const nextRequest = createRequests(port, request);
  const statuses = new Map<number, number>();
  const latencies: number[] = [];
  let sent = 0;
  let broken = 0;
  const opened = await LoadConnection.openAll(port, connections);
  const startedAt = performance.now();
  const until = startedAt + durationMs;
  const repeat = async (connection: LoadConnection): Promise<void> => {
    for (;;) {
      const now = performance.now();
      const dueAt = perSecond === undefined ? now : startedAt + (sent * 1_000) / perSecond;
      if (dueAt >= until) return;
      sent += 1;
      if (dueAt > now) await pause(dueAt - now);
      // A timer may be early by a fraction of a millisecond.
      const since = dueAt > now ? Math.min(dueAt, performance.now()) : dueAt;
      const { status } = await connection.exchange(nextRequest());
      latencies.push(performance.now() - since);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(opened.map((connection) => repeat(connection).catch(() => void (broken += 1))));
  for (const connection of opened) connection.close();
  return {
    responses: latencies.length,
    /** Responses by status. */
    statuses: Object.fromEntries(statuses),
    /** Connections that broke during a response. */
    broken,
    seconds: (performance.now() - startedAt) / 1000,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
}
