import { loadConfig } from '../../../config/config.ts';
import { createLifecycle } from '../../../ops/runtime/lifecycle.ts';
import { createLogger } from '../../../ops/runtime/telemetry/index.ts';
import { startWorker } from '../../../workers/start-worker.ts';
import { addOtherBounds } from '../other-bounds.ts';

/**
 * A worker process like the product's, whose clock its parent sets: arguments are MongoDB URL, Redis URL, prefix, start,
 * and how many operators one job of a re-rank scores.
 */
const [mongoUrl = '', redisUrl = '', prefix = '', start = '0', range] = process.argv.slice(2);
let now = Number(start);
process.on('message', (message: { readonly now?: number; readonly ask: number }) => {
  if (message.now !== undefined) now = message.now;
  process.send?.({ answer: message.ask });
});

addOtherBounds();
const log = createLogger({ logLevel: 'error', name: 'clocked-worker' });
const lifecycle = createLifecycle({ log, deadlineMs: 5_000 });
lifecycle.installSignalHandlers();
const config = { ...loadConfig({}), mongoUrl, redisUrl, host: '127.0.0.1', workerMetricsPort: 0 };
const ranges = range === undefined ? {} : { rangeOperators: Number(range) };
await startWorker({ config, log, lifecycle, prefix, clock: () => now, ...ranges });
lifecycle.announceReady({ role: 'worker' });
