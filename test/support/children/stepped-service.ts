import { startApi } from '../../../api/start-api.ts';
import { loadServiceConfig } from '../../../config/config.ts';
import { processEnvironment } from '../../../config/env.ts';
import { LIMITS } from '../../../config/limits.ts';
import { createLifecycle } from '../../../ops/runtime/lifecycle.ts';
import { createLogger } from '../../../ops/runtime/telemetry/index.ts';
import { startWorker } from '../../../workers/start-worker.ts';
import { followSteps } from '../stepped-clock.ts';

/**
 * An api or worker process like the product's, whose clock is stepped from outside. `STEPPED_ROLE` is `api` or `worker`,
 * `STEPPED_CLOCK` the file with the clock's offset.
 */
const { STEPPED_ROLE: role = 'worker', STEPPED_CLOCK: file = '' } = processEnvironment();
const clock = followSteps(file);
const config = loadServiceConfig();
const log = createLogger({ logLevel: config.logLevel, name: role });
const lifecycle = createLifecycle({ log, deadlineMs: LIMITS.shutdown.processMs });
lifecycle.installSignalHandlers();
if (role === 'api') await startApi({ config, log, lifecycle, clock });
else await startWorker({ config, log, lifecycle, clock });
lifecycle.announceReady({ role });
