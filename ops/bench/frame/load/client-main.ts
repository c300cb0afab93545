import { quantile } from '../statistics.ts';
import { serveTasks } from '../task-process.ts';
import { type LoadState, runConnection } from './load-connection.ts';

/** A load client in a separate process. */
/** Requests repeated on several connections; each sends the next when it has received a response. */
interface Load {
  readonly port: number;
  readonly connections: number;
  /** Complete HTTP requests, used in rotation. */
  readonly requests: readonly string[];
  readonly durationMs: number;
}

export type ReadTasks = typeof tasks;
const tasks = { load: runLoad };
serveTasks(tasks);

async function runLoad({ port, connections, requests, durationMs }: Load) {
  const bytes = requests.map((text) => Buffer.from(text, 'latin1'));
  const counts = { next: 0, responses: 0, broken: 0, stopped: false };
  const state: LoadState = { port, requests: bytes, statuses: new Map(), latencies: [], ...counts };
  const startedAt = performance.now();
  const running = Array.from({ length: connections }, () => runConnection(state));
  setTimeout(() => {
    state.stopped = true;
  }, durationMs);
  await Promise.all(running);
  return {
    responses: state.responses,
    /** Responses by status. */
    statuses: Object.fromEntries(state.statuses),
    /** Connections that broke during a response. */
    broken: state.broken,
    seconds: (performance.now() - startedAt) / 1000,
    p50Ms: quantile(state.latencies, 0.5),
    p99Ms: quantile(state.latencies, 0.99),
  };
}
