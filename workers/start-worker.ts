import type { ServiceConfig } from '../config/config.ts';
import { MIGRATIONS, migrate, openMongo } from '../engine/mongo/index.ts';
import { type Clock, createRanking, type Reach } from '../engine/ranking/index.ts';
import type { Lifecycle } from '../ops/lifecycle/index.ts';
import {
  createBillingMetrics,
  createBoardMetrics,
  createComplaint,
  createIngestMetrics,
  createMetricsServer,
  createQueueMetrics,
  createRegistry,
  createRerankMetrics,
  createScheduleMetrics,
  createStoreMetrics,
  type Logger,
  startTracing,
} from '../ops/telemetry/index.ts';
import { boardChannel, KEY_PREFIX } from './catalog.ts';
import { runCommitLoop } from './commit-loop.ts';
import { engineTrace } from './engine-trace.ts';
import { openAccounts } from './open-accounts.ts';
import { openBilling } from './open-billing.ts';
import { openPurchases } from './open-purchases.ts';
import { openQueues } from './open-queues.ts';
import { openPatientRedis } from './open-redis.ts';
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
  readonly reach?: Reach;
  /** Operator numbers that one job of a re-rank scores; tests lower it. */
  readonly rangeOperators?: number;
}

/** Opens everything a worker process needs and starts working; what it opened closes with the lifecycle. */
export async function startWorker(options: WorkerOptions): Promise<void> {
  const { config, log, lifecycle, clock = Date.now, prefix = KEY_PREFIX } = options;
  const complain = createComplaint(log);
  const registry = createRegistry();
  const { tracesUrl } = config;
  const tracing = tracesUrl === null ? null : await startTracing({ tracesUrl, service: 'upsilon-worker', complain });
  lifecycle.onClose('traces', async () => tracing?.close());
  const metrics = await createMetricsServer({ registry, host: config.host, port: config.workerMetricsPort });
  lifecycle.onClose('metrics', () => metrics.close());

  const connection = await openMongo(config.mongoUrl);
  lifecycle.onClose('MongoDB', () => connection.close());
  await migrate(connection, { migrations: MIGRATIONS, clock });
  const accounts = await openAccounts({ connection, clock, config });
  const redis = openPatientRedis(config.redisUrl, complain);
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
    ...(options.reach === undefined ? {} : { reach: options.reach }),
    ...(options.rangeOperators === undefined ? {} : { rangeOperators: options.rangeOperators }),
  });
  const billingMetrics = createBillingMetrics(registry, clock);
  const billing = openBilling({ connection, config, clock, metrics: billingMetrics, log, redis, prefix, complain });
  const purchases = await openPurchases({ connection, config: config.premium, clock, registry, complain });
  await billing.ensureIndexes();
  await ranking.ensureIndexes();
  await ranking.ensureBoard();

  const queueMetrics = createQueueMetrics(registry);
  const queues = openQueues(redis, prefix, complain, tracing?.queues);
  lifecycle.onClose('queues', () => queues.close());
  const health = watchQueues(queues, queueMetrics, complain);
  lifecycle.onClose('queue health', () => health.close());
  const announce = (version: number) => void redis.publish(boardChannel(prefix), String(version)).catch(complain);
  const commits = runCommitLoop(ranking.createCommitter(announce, complain), complain);
  lifecycle.onClose('committer', () => commits.close());
  const schedules = keepSchedules({
    queues,
    redis,
    prefix,
    metrics: createScheduleMetrics(registry, Date.now()),
    onError: complain,
  });
  lifecycle.onClose('schedules', () => schedules.close());
  const workers = startWorkers({
    connection: redis,
    prefix,
    context: { ranking, queues, accounts, billing, purchases },
    metrics: queueMetrics,
    onCompleted: (job) => schedules.succeeded(job),
    log,
    complain,
    telemetry: tracing?.queues,
  });
  lifecycle.onClose('workers', () => workers.close());
}
