import { configOrExit, exitOnSettings, loadServiceConfig } from '../config/config.ts';
import { LIMITS } from '../config/limits.ts';
import { createLifecycle } from '../ops/runtime/lifecycle.ts';
import { createLogger } from '../ops/runtime/telemetry/index.ts';
import { startWorker } from './start-worker.ts';

/** The worker process: `npm run worker`. */
const config = configOrExit(loadServiceConfig);
const log = createLogger({ logLevel: config.logLevel, name: `worker-${config.workerIndex}` });
const lifecycle = createLifecycle({ log, deadlineMs: LIMITS.shutdown.processMs });
lifecycle.installSignalHandlers();
await startWorker({ config, log, lifecycle }).catch(exitOnSettings);
lifecycle.announceReady({ role: 'worker', metricsPort: config.workerMetricsPort });
