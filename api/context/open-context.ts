import { join } from 'node:path';
import type { ServiceConfig } from '../../config/config.ts';
import { openAccounts } from '../../engine/accounts/index.ts';
import { openPurchases } from '../../engine/billing/index.ts';
import { byWindow, WINDOWS } from '../../engine/contract/index.ts';
import { MIGRATIONS, migrate, openMongo, watchMongo } from '../../engine/mongo/index.ts';
import { type BoardReader, type Clock, createRanking, type Ranking } from '../../engine/ranking/index.ts';
import type { Lifecycle } from '../../ops/runtime/lifecycle.ts';
import {
  boardChannel,
  enqueueBatch,
  openQueues,
  openVerdictEvents,
  watchQueues,
} from '../../ops/runtime/queues/index.ts';
import { openBlockingRedis, openFailFastRedis, openSubscription, watchStores } from '../../ops/runtime/stores/index.ts';
import {
  createBoardViewMetrics,
  createHttpMetrics,
  createIngestMetrics,
  createMailMetric,
  createMetricsServer,
  createPurchaseMetrics,
  createQueueMetrics,
  createRegistry,
  createStoreMetrics,
  createThrottledLog,
  type Logger,
  type Registry,
  startTracing,
  type ThrottledLog,
  type Tracing,
} from '../../ops/runtime/telemetry/index.ts';
import { openApiBilling } from '../billing/open-api-billing.ts';
import { createErasureList } from '../members/erasure-list.ts';
import { createMembers } from '../members/members.ts';
import { joinProcesses, processNumber } from '../start-processes.ts';
import type { ApiConfig, ApiContext, SnapshotQueue } from './api-context.ts';
import { traceSubmissions } from './trace-submissions.ts';

export interface OpenContextOptions {
  readonly config: ServiceConfig & ApiConfig;
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  readonly clock: Clock;
}

interface Opened extends OpenContextOptions {
  readonly registry: Registry;
  readonly logThrottled: ThrottledLog;
  readonly tracing: Tracing | null;
}

/** Opens the stores and engines of an api process; the lifecycle closes them. */
export async function openContext(
  options: OpenContextOptions,
): Promise<{ readonly ctx: ApiContext; readonly tracing: Tracing | null }> {
  const { config, log, lifecycle, clock } = options;
  const logThrottled = createThrottledLog(log);
  const number = processNumber();
  const registry = createRegistry(number === null ? {} : { process: String(number) });
  const tracing = await openTracing(options, logThrottled);
  const opened: Opened = { ...options, registry, logThrottled, tracing };
  if (number === null) {
    const metricsServer = await createMetricsServer({ registry, host: config.host, port: config.metricsPort });
    lifecycle.onClose('metrics', () => metricsServer.close());
  } else joinProcesses(registry);

  const connection = await openMongo(config.mongoUrl);
  lifecycle.onClose('MongoDB', () => connection.close());
  await migrate(connection, { migrations: MIGRATIONS, clock, onRan: (ran) => log.warn(ran, 'the data were migrated') });
  const accounts = await openAccounts({ connection, clock, secretsKeys: config.secretsKeys });
  const { deviceKeys, sharedSecret } = accounts;
  const ranking = createRanking({ connection, clock, deviceKeys, sharedSecret });
  await ranking.ensureIndexes();
  await ranking.ensureBoard();
  const purchaseReport = { ...createPurchaseMetrics(registry), failed: logThrottled };
  const purchases = await openPurchases({ connection, clock, config: config.premium, report: purchaseReport });
  logMissingSettings(options);

  const { queue, queues, redis } = await openSnapshotQueue(opened, ranking.log.countIn);
  const mongodb = watchMongo(connection);
  const stores = watchStores({ mongodb, redis }, createStoreMetrics(registry));
  lifecycle.onClose('store health', () => stores.close());
  const board = await followBoard(opened, ranking);
  const billing = await openApiBilling({ ...opened, connection, queues, redis });
  const recordErasure = createErasureList(join(config.dataDir, 'erasures.jsonl'));
  const members = createMembers({ accounts, billing, operators: ranking.operators, recordErasure });
  const metrics = {
    http: createHttpMetrics(registry),
    ingest: createIngestMetrics(registry),
    mailed: createMailMetric(registry),
  };
  const ctx: ApiContext = {
    config,
    clock,
    log,
    metrics,
    ranking,
    board,
    queue,
    accounts,
    members,
    billing,
    purchases,
    redis,
    storeHealth: stores.health,
    isStopping: () => lifecycle.signal.aborted,
  };
  return { ctx: tracing === null ? ctx : traceSubmissions(tracing, ctx), tracing };
}

/** Starts tracing when a collector is configured. Called first, so that it closes last. */
async function openTracing(
  { config: { tracesUrl }, lifecycle }: OpenContextOptions,
  logThrottled: ThrottledLog,
): Promise<Tracing | null> {
  if (tracesUrl === null) return null;
  const tracing = await startTracing({ tracesUrl, service: 'upsilon-api', logThrottled });
  lifecycle.onClose('traces', () => tracing.close());
  return tracing;
}

function logMissingSettings({ config: { premium }, log }: OpenContextOptions): void {
  if (premium === null) {
    log.warn('X402_PAY_TO is not set: the premium routes are closed');
  } else if (premium.facilitatorUrl === null) {
    const level = premium.testNetwork ? 'info' : 'warn';
    log[level]('X402_FACILITATOR_URL is not set: the premium routes return their prices, but cannot accept payments');
  }
}

/** Never waits for Redis: the log already contains every queued entry, and reconciliation enqueues lost ones. */
async function openSnapshotQueue(
  { config, lifecycle, registry, logThrottled, tracing }: Opened,
  countIn: Ranking['log']['countIn'],
) {
  const redis = openFailFastRedis(config.redisUrl, logThrottled);
  lifecycle.onClose('Redis', () => redis.disconnect());
  const queues = openQueues(redis, config.redisPrefix, logThrottled, tracing?.queues);
  lifecycle.onClose('queues', () => queues.close());
  const health = watchQueues(queues, createQueueMetrics(registry), logThrottled, countIn);
  lifecycle.onClose('queue health', () => health.close());
  const eventsRedis = openBlockingRedis(config.redisUrl, logThrottled);
  lifecycle.onClose('Redis events', () => eventsRedis.disconnect());
  const verdicts = await openVerdictEvents(eventsRedis, config.redisPrefix, logThrottled);
  lifecycle.onClose('verdict events', () => verdicts.close());
  const queue: SnapshotQueue = {
    enqueue: (batch, entries) => enqueueBatch(queues, batch, entries),
    waitingEntries: () => health.waitingEntries(),
    waitForBatch: (batch, signal) => verdicts.waitFor(batch, signal),
  };
  return { queue, queues, redis };
}

/** A board reader that refreshes on published versions, and polls in case a message is lost. */
async function followBoard(
  { config, clock, lifecycle, registry, logThrottled }: Opened,
  ranking: Ranking,
): Promise<BoardReader> {
  const metrics = createBoardViewMetrics(registry, clock);
  const board = await ranking.openBoardReader(logThrottled);
  lifecycle.onClose('board reader', () => board.close());
  const show = (): void => {
    const view = board.view();
    const firstYields = byWindow((window) => view.topEntries[WINDOWS[window]!][0]?.yield_ ?? 0);
    metrics.shows({ ...view, operators: view.totals.all_time, firstYields });
  };
  show();
  board.onView(show);
  const hints = openSubscription({
    redisUrl: config.redisUrl,
    channel: boardChannel(config.redisPrefix),
    onMessage: () => void board.refresh().catch(logThrottled),
    onError: logThrottled,
  });
  lifecycle.onClose('board hints', () => hints.close());
  return board;
}
