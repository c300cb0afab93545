import { configOrExit, exitOnSettings, loadServiceConfig } from '../config/config.ts';
import { LIMITS } from '../config/limits.ts';
import { createLifecycle } from '../ops/runtime/lifecycle.ts';
import { createLogger } from '../ops/runtime/telemetry/index.ts';
import { startApi } from './start-api.ts';
import { processNumber, startProcesses } from './start-processes.ts';

/** The api: `npm run api`. With `API_PROCESSES` above 1 this process starts and watches the others, which run this program, too. */
const config = configOrExit(() => loadServiceConfig(undefined, 'api'));
const log = createLogger({ logLevel: config.logLevel, name: 'api' });
const lifecycle = createLifecycle({ log, deadlineMs: LIMITS.shutdown.processMs });
lifecycle.installSignalHandlers();
const start = config.apiProcesses === 1 || processNumber() !== null ? startApi : startProcesses;
const { port } = await start({ config, log, lifecycle }).catch(exitOnSettings);
lifecycle.announceReady({ role: 'api', port, metricsPort: config.metricsPort });
