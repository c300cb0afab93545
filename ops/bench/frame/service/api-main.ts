import { ratePolicies } from '../../../../api/http/rate-limit/rate-policy.ts';
import { startApi } from '../../../../api/start-api.ts';
import { configOrExit, loadServiceConfig } from '../../../../config/config.ts';
import { LIMITS } from '../../../../config/limits.ts';
import { createLifecycle } from '../../../runtime/lifecycle.ts';
import { createLogger } from '../../../runtime/telemetry/index.ts';

/**
 * Quotas that no load reaches: the limiter counts every request and refuses none. Their windows are short, so that the
 * counters stay small, as in production.
 */
const RATES = ratePolicies({ quota: 20_000, windowMs: 200 });

/** The api process of `npm run api` with higher quotas. */
const config = configOrExit(loadServiceConfig);
const log = createLogger({ logLevel: config.logLevel, name: 'api' });
const lifecycle = createLifecycle({ log, deadlineMs: LIMITS.shutdown.processMs });
lifecycle.installSignalHandlers();
const { port } = await startApi({ config, log, lifecycle, measuring: { rates: RATES } });
lifecycle.announceReady({ role: 'api', port, metricsPort: config.metricsPort });
