import { configOrExit, exitOnSettings, loadApiConfig } from '../config/config.ts';
import { LIMITS } from '../config/limits.ts';
import { createLifecycle } from '../ops/runtime/lifecycle.ts';
import { createLogger } from '../ops/runtime/telemetry/index.ts';
import { startApi } from './start-api.ts';

/** The api process: `npm run api`. */
const config = configOrExit(loadApiConfig);
const log = createLogger({ logLevel: config.logLevel, name: 'api' });
const lifecycle = createLifecycle({ log, deadlineMs: LIMITS.shutdown.processMs });
lifecycle.installSignalHandlers();
const { port } = await startApi({ config, log, lifecycle }).catch(exitOnSettings);
lifecycle.announceReady({ role: 'api', port, metricsPort: config.metricsPort });
