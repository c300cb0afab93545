import type { ServiceConfig } from '../config/config.ts';
import { openAccounts } from '../engine/accounts/index.ts';
import { openBilling, openPurchases } from '../engine/billing/index.ts';
import { MIGRATIONS, migrate, openMongo, watchMongo } from '../engine/mongo/index.ts';
import { type Clock, createRanking, type EngineTrace, type Failpoint, type Ranking } from '../engine/ranking/index.ts';
import { METHODOLOGIES } from '../engine/ranking/methodologies/index.ts';
import type { Lifecycle } from '../ops/runtime/lifecycle.ts';
import { openMailer } from '../ops/runtime/mailer.ts';
import { announcePlans, boardChannel, KEY_PREFIX, openQueues, watchQueues } from '../ops/runtime/queues/index.ts';
import { openBlockingRedis, watchStores } from '../ops/runtime/stores/index.ts';
import {
  createBillingMetrics,
  createIntegrityMetrics,
  createMailMetric,
  createMetricsServer,
  createPurchaseMetrics,
  createQueueMetrics,
  createRegistry,
  createScheduleMetrics,
  createStoreMetrics,
  createThrottledLog,
  type Logger,
  startTracing,
  type Tracing,
} from '../ops/runtime/telemetry/index.ts';
import { runCommitLoop } from './commit-loop.ts';
import { createRankingReport } from './ranking-report.ts';
import { keepSchedules } from './schedules.ts';
import { startWorkers } from './start-workers.ts';

export interface WorkerOptions {
  readonly config: ServiceConfig;
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  readonly clock?: Clock;
  readonly prefix?: string;
  readonly failpoint?: Failpoint;
  /** Operator numbers scored by one job of a re-rank; tests lower it. */
  readonly rangeOperators?: number;
}

/** Traces the engine's steps as spans, and links dirty sets to the trace that created them. */
function engineTrace(tracing: Pick<Tracing, 'span' | 'running'>): EngineTrace {
  return {
    step: (name, work) => tracing.span(name, {}, work),
    current: () => tracing.running()?.parent,
  };
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
  let works = false;
  const probes = { isReady: () => works && !lifecycle.signal.aborted };
  const metrics = await createMetricsServer({ registry, host: config.host, port: config.workerMetricsPort, ...probes });
  lifecycle.onClose('metrics', () => metrics.close());

  const connection = await openMongo(config.mongoUrl);
  lifecycle.onClose('MongoDB', () => connection.close());
  await migrate(connection, { migrations: MIGRATIONS, clock, onRan: (ran) => log.warn(ran, 'the data were migrated') });
  const accounts = await openAccounts({ connection, clock, secretsKeys: config.secretsKeys });
  const redis = openBlockingRedis(config.redisUrl, logThrottled);
  lifecycle.onClose('Redis', () => redis.disconnect());

  const mongodb = watchMongo(connection);
  const stores = watchStores({ mongodb, redis }, createStoreMetrics(registry));
  lifecycle.onClose('store health', () => stores.close());

  const ranking = createRanking({
    connection,
    clock,
    deviceKeys: accounts.deviceKeys,
    sharedSecret: accounts.sharedSecret,
    report: createRankingReport(registry, log, tracing),
    ...(tracing === null ? {} : { trace: engineTrace(tracing) }),
    ...(options.failpoint === undefined ? {} : { failpoint: options.failpoint }),
    ...(options.rangeOperators === undefined ? {} : { rangeOperators: options.rangeOperators }),
  });
  const billingReport = createBillingMetrics(registry, clock, log);
  const onChange = announcePlans(redis, prefix, logThrottled);
  const billing = await openBilling({ connection, config, clock, report: billingReport, onChange });
  const purchaseReport = { ...createPurchaseMetrics(registry), failed: logThrottled };
  const purchases = await openPurchases({ connection, clock, config: config.premium, report: purchaseReport });
  await openBoard(ranking, config, log);

  const mailer = await openMailer(config.signIn, log, createMailMetric(registry));
  lifecycle.onClose('mail', async () => mailer?.close());
  const queueMetrics = createQueueMetrics(registry);
  const queues = openQueues(redis, prefix, logThrottled, tracing?.queues);
  lifecycle.onClose('queues', () => queues.close());
  const health = watchQueues(queues, queueMetrics, logThrottled);
  lifecycle.onClose('queue health', () => health.close());
  const announce = (version: number) => void redis.publish(boardChannel(prefix), String(version)).catch(logThrottled);
  const commits = runCommitLoop(ranking.createCommitter(announce, logThrottled), logThrottled);
  lifecycle.onClose('committer', () => commits.close());
  const scheduleMetrics = createScheduleMetrics(registry, Date.now());
  const schedules = keepSchedules({ queues, redis, prefix, metrics: scheduleMetrics, onError: logThrottled });
  lifecycle.onClose('schedules', () => schedules.close());
  const addresses = { accountUrl: `${config.loginUrl}/account`, siteUrl: config.siteUrl };
  const archive = config.archive && { ...config.archive, service: config.siteUrl, keys: accounts.archiveKeys };
  const context = { ranking, archive, queues, accounts, billing, purchases, mailer, ...addresses, clock, logThrottled };
  const workers = startWorkers({
    connection: redis,
    prefix,
    context: { ...context, integrityMetrics: createIntegrityMetrics(registry, clock) },
    metrics: queueMetrics,
    onCompleted: (job) => schedules.succeeded(job),
    log,
    logThrottled,
    telemetry: tracing?.queues,
  });
  lifecycle.onClose('workers', () => workers.close());
  works = true;
}

/** Makes what a board needs. The first worker says when the boards have an older methodology than the newest. */
async function openBoard(ranking: Ranking, { workerIndex }: ServiceConfig, log: Logger): Promise<void> {
  await ranking.ensureIndexes();
  await ranking.ensureBoard();
  const { methodology } = await ranking.rerank.status();
  const newest = Math.max(...METHODOLOGIES.keys());
  if (workerIndex > 1 || methodology >= newest) return;
  const what = `the boards have methodology ${methodology}, and ${newest} is the newest`;
  log.warn({ methodology, newest }, `${what}: see what it would change with "methodology preview ${newest}"`);
}
