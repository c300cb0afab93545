import { quantile } from '../statistics.ts';
import { type LoadState, runConnection } from './load-connection.ts';
import { Load, type LoadResult } from './load-messages.ts';

/** A load client in a separate process: each message over IPC is a load, and the reply is its result. */
process.on('message', (message) => {
  void runLoad(Load.parse(message)).then((result) => process.send?.(result));
});
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
process.send?.({ type: 'ready' });

async function runLoad({ port, connections, requests, durationMs }: Load): Promise<LoadResult> {
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
    statuses: Object.fromEntries(state.statuses),
    broken: state.broken,
    seconds: (performance.now() - startedAt) / 1000,
    p50Ms: quantile(state.latencies, 0.5),
    p99Ms: quantile(state.latencies, 0.99),
  };
}
