import { loadConfig } from '../../../config/config.ts';
import { createLifecycle } from '../../../ops/runtime/lifecycle.ts';
import { createLogger } from '../../../ops/runtime/telemetry/index.ts';
import { startWorker } from '../../../workers/start-worker.ts';

/**
 * A worker process like the product's that is killed (SIGKILL) at a failpoint: arguments are MongoDB URL, Redis URL, prefix
 * and the failpoint; without one it keeps running.
 */
const [mongoUrl = '', redisUrl = '', prefix = '', point] = process.argv.slice(2);

const log = createLogger({ logLevel: 'error', name: 'doomed-worker' });
const lifecycle = createLifecycle({ log, deadlineMs: 5_000 });
lifecycle.installSignalHandlers();
const failpoint = (failpointName: string): void => {
  if (failpointName === point) process.kill(process.pid, 'SIGKILL');
};
const config = { ...loadConfig({}), mongoUrl, redisUrl, host: '127.0.0.1', workerMetricsPort: 0 };
await startWorker({ config, log, lifecycle, prefix, failpoint });
lifecycle.announceReady({ role: 'worker' });
