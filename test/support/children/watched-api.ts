import { startApi } from '../../../api/start-api.ts';
import { processNumber, startProcesses } from '../../../api/start-processes.ts';
import { loadServiceConfig } from '../../../config/config.ts';
import { LIMITS } from '../../../config/limits.ts';
import { createLifecycle } from '../../../ops/runtime/lifecycle.ts';
import { createLogger } from '../../../ops/runtime/telemetry/index.ts';

/** The api's program, whose processes are killed after a silence of three seconds. */
const config = loadServiceConfig(undefined, 'api');
const log = createLogger({ logLevel: config.logLevel, name: 'api' });
const lifecycle = createLifecycle({ log, deadlineMs: LIMITS.shutdown.processMs });
lifecycle.installSignalHandlers();
const liveness = { everyMs: 500, silentMs: 3_000, apartMs: 600_000 };
const start = processNumber() === null ? startProcesses : startApi;
const { port } = await start({ config, log, lifecycle, liveness });
lifecycle.announceReady({ role: 'api', port, metricsPort: config.metricsPort });
