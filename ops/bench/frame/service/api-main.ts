import { RATE_POLICIES, type RatePolicies } from '../../../../api/http/rate-limit/rate-policy.ts';
import { startApi } from '../../../../api/start-api.ts';
import { configOrExit, loadServiceConfig } from '../../../../config/config.ts';
import { LIMITS } from '../../../../config/limits.ts';
import { createLifecycle } from '../../../lifecycle/index.ts';
import { createLogger } from '../../../telemetry/index.ts';

/** Requests a minute that no load reaches: the limiter counts them all and refuses none. */
const UNREACHED_QUOTA = 1_000_000_000;

const RATES: RatePolicies = {
  public: { ...RATE_POLICIES.public, quota: UNREACHED_QUOTA },
  snapshots: { ...RATE_POLICIES.snapshots, quota: UNREACHED_QUOTA },
  operator: { ...RATE_POLICIES.operator, quota: UNREACHED_QUOTA },
  failures: { ...RATE_POLICIES.failures, quota: UNREACHED_QUOTA },
};

/** The api process as `npm run api` starts it, with quotas for load; with the argument `no-lane`, Koa answers everything. */
const config = configOrExit(loadServiceConfig);
const log = createLogger({ logLevel: config.logLevel, name: 'api' });
const lifecycle = createLifecycle({ log, deadlineMs: LIMITS.shutdown.processMs });
lifecycle.installSignalHandlers();
const lane = process.argv[2] !== 'no-lane';
const { port } = await startApi({ config, log, lifecycle, measuring: { rates: RATES, lane } });
lifecycle.announceReady({ role: 'api', port, metricsPort: config.metricsPort });
