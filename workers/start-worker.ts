import type { ServiceConfig } from '../config/config.ts';
import { MIGRATIONS, migrate, openMongo } from '../engine/mongo/index.ts';
import { type Clock, createRanking, type Failpoint } from '../engine/ranking/index.ts';
import type { Lifecycle } from '../ops/runtime/lifecycle/index.ts';
import {
  createBillingMetrics,
  createBoardMetrics,
  createIngestMetrics,
  createMetricsServer,
  createQueueMetrics,
  createRegistry,
  createRerankMetrics,
  createScheduleMetrics,
  createStoreMetrics,
  createThrottledLog,
  type Logger,
  startTracing,
} from '../ops/runtime/telemetry/index.ts';
import { boardChannel, KEY_PREFIX } from './catalog.ts';
import { runCommitLoop } from './commit-loop.ts';
import { engineTrace } from './engine-trace.ts';
import { openAccounts } from './open-accounts.ts';
import { openBilling } from './open-billing.ts';
import { openPurchases } from './open-purchases.ts';
import { openQueues } from './open-queues.ts';
import { openBlockingRedis } from './open-redis.ts';
import { watchQueues } from './queue-health.ts';
import { createRankingReport } from './ranking-report.ts';
import { keepSchedules } from './schedules.ts';
import { startWorkers } from './start-workers.ts';
import { watchStores } from './store-health.ts';

export interface WorkerOptions {
  readonly config: Pick<
    ServiceConfig,
    | 'mongoUrl'
    | 'redisUrl'
    | 'secretsKeys'
    | 'host'
    | 'workerMetricsPort'
    | 'billing'
    | 'premium'
    | 'loginUrl'
    | 'siteUrl'
    | 'jwksUrl'
    | 'tracesUrl'
  >;
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  readonly clock?: Clock;
  readonly prefix?: string;
  readonly failpoint?: Failpoint;
  /** Operator numbers scored by one job of a re-rank; tests lower it. */
  readonly rangeOperators?: number;
}

/** Opens and starts a worker process; the lifecycle closes it. */
export async function startWorker(options: WorkerOptions): Promise<void> {
  const { config, log, lifecycle, clock = Date.now, prefix = KEY_PREFIX } = options;
  const logThrottled = createThrottledLog(log);
  const registry = createRegistry();
  const { tracesUrl } = config;
  const tracing =
    tracesUrl === null ? null : await startTracing({ tracesUrl, service: 'upsilon-worker', logThrottled });
  lifecycle.onClose('traces', async () => tracing?.close());
  const metrics = await createMetricsServer({ registry, host: config.host, port: config.workerMetricsPort });
  lifecycle.onClose('metrics', () => metrics.close());

  const connection = await openMongo(config.mongoUrl);
  lifecycle.onClose('MongoDB', () => connection.close());
  await migrate(connection, { migrations: MIGRATIONS, clock });
  const accounts = await openAccounts({ connection, clock, config });
  const redis = openBlockingRedis(config.redisUrl, logThrottled);
  lifecycle.onClose('Redis', () => redis.disconnect());

  const stores = watchStores({ connection, redis }, createStoreMetrics(registry));
  lifecycle.onClose('store health', () => stores.close());

  const board = createBoardMetrics(registry);
  const rerank = createRerankMetrics(registry);
  const report = createRankingReport({ ingest: createIngestMetrics(registry), board, rerank, log, tracing });
  const ranking = createRanking({
    connection,
    clock,
    deviceKeys: accounts.deviceKeys,
    sharedSecret: accounts.sharedSecret,
    report,
    ...(tracing === null ? {} : { trace: engineTrace(tracing) }),
    ...(options.failpoint === undefined ? {} : { failpoint: options.failpoint }),
    ...(options.rangeOperators === undefined ? {} : { rangeOperators: options.rangeOperators }),
  });
  const billingMetrics = createBillingMetrics(registry, clock);
  const billing = openBilling({ connection, config, clock, metrics: billingMetrics, log, redis, prefix, logThrottled });
  const purchases = await openPurchases({ connection, config: config.premium, clock, registry, logThrottled });
  await billing.ensureIndexes();
  await ranking.ensureIndexes();
  await ranking.ensureBoard();

  const queueMetrics = createQueueMetrics(registry);
  const queues = openQueues(redis, prefix, logThrottled, tracing?.queues);
  lifecycle.onClose('queues', () => queues.close());
  const health = watchQueues(queues, queueMetrics, logThrottled);
  lifecycle.onClose('queue health', () => health.close());
  const announce = (version: number) => void redis.publish(boardChannel(prefix), String(version)).catch(logThrottled);
  const commits = runCommitLoop(ranking.createCommitter(announce, logThrottled), logThrottled);
  lifecycle.onClose('committer', () => commits.close());
  const schedules = keepSchedules({
    queues,
    redis,
    prefix,
    metrics: createScheduleMetrics(registry, Date.now()),
    onError: logThrottled,
  });
  lifecycle.onClose('schedules', () => schedules.close());
  const workers = startWorkers({
    connection: redis,
    prefix,
    context: { ranking, queues, accounts, billing, purchases },
    metrics: queueMetrics,
    onCompleted: (job) => schedules.succeeded(job),
    log,
    logThrottled,
    telemetry: tracing?.queues,
  });
  lifecycle.onClose('workers', () => workers.close());
}
