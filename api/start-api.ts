import { once } from 'node:events';
import { join } from 'node:path';
import type { ServiceConfig } from '../config/config.ts';
import { LIMITS } from '../config/limits.ts';
import type { Accounts } from '../engine/accounts/index.ts';
import type { Billing } from '../engine/billing/index.ts';
import { MIGRATIONS, migrate, openMongo, pingMongo } from '../engine/mongo/index.ts';
import { type BoardReader, type Clock, createRanking, type Ranking } from '../engine/ranking/index.ts';
import type { Lifecycle } from '../ops/runtime/lifecycle/index.ts';
import {
  createBoardViewMetrics,
  createHttpMetrics,
  createIngestMetrics,
  createMetricsServer,
  createQueueMetrics,
  createRegistry,
  createStoreMetrics,
  createThrottledLog,
  type Logger,
  startTracing,
  type Tracing,
} from '../ops/runtime/telemetry/index.ts';
import {
  boardChannel,
  enqueueBatch,
  KEY_PREFIX,
  openAccounts,
  openBlockingRedis,
  openFailFastRedis,
  openPurchases,
  openQueues,
  openSubscription,
  openVerdictEvents,
  watchQueues,
  watchStores,
} from '../workers/index.ts';
import { createApp } from './app.ts';
import { createIdentity } from './auth/create-identity.ts';
import { createErasureList } from './auth/members/erasure-list.ts';
import { createMemberExport } from './auth/members/export-member.ts';
import { createMembers } from './auth/members/members.ts';
import { createOperatorMaker } from './auth/members/operator-maker.ts';
import { createOutsideAccounts } from './auth/outside-accounts.ts';
import { openApiBilling } from './billing/open-api-billing.ts';
import { closeHttpServer, createHttpServer } from './http/http-server.ts';
import type { ApiPorts } from './ports.ts';
import type { ApiSettings } from './settings.ts';
import { traceSubmissions } from './trace-submissions.ts';

export interface ApiOptions {
  readonly config: ServiceConfig;
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  readonly clock?: Clock;
  readonly prefix?: string;
  /** How long connections that are idle when the process closes stay open, in milliseconds; tests lower it. */
  readonly idleGraceMs?: number;
  /** Settings that only measurements have. */
  readonly measuring?: Pick<ApiSettings, 'rates' | 'fastPath'>;
}

/** Opens everything an api process needs and listens; the lifecycle closes what it opened. Returns the port. */
export async function startApi(options: ApiOptions): Promise<{ readonly port: number }> {
  const { config, log, lifecycle, clock = Date.now, prefix = KEY_PREFIX } = options;
  const { idleGraceMs = LIMITS.shutdown.idleGraceMs } = options;
  const logThrottled = createThrottledLog(log);
  const registry = createRegistry();
  const tracing = await openTracing(options, logThrottled);
  const metricsServer = await createMetricsServer({ registry, host: config.host, port: config.metricsPort });
  lifecycle.onClose('metrics', () => metricsServer.close());

  const connection = await openMongo(config.mongoUrl);
  lifecycle.onClose('MongoDB', () => connection.close());
  await migrate(connection, { migrations: MIGRATIONS, clock });
  const accounts = await openAccounts({ connection, clock, config });
  const ranking = createRanking({
    connection,
    clock,
    deviceKeys: accounts.deviceKeys,
    sharedSecret: accounts.sharedSecret,
  });
  await ranking.ensureIndexes();
  await ranking.ensureBoard();

  const purchases = await openPurchases({ connection, config: config.premium, clock, registry, logThrottled });
  logPremiumConfig(options);
  if (!config.signIn.local && config.secretsKeys.length === 0) {
    log.warn('SECRETS_KEY is not set: signing keys and other secrets are stored in MongoDB without encryption');
  }

  const queue = await openSnapshotQueue(options, prefix, createQueueMetrics(registry), logThrottled, tracing);
  const stores = watchStores({ connection, redis: queue.redis }, createStoreMetrics(registry));
  lifecycle.onClose('store health', () => stores.close());
  const board = await followBoard(options, ranking, prefix, createBoardViewMetrics(registry, clock), logThrottled);
  const { queues, redis } = queue;
  const toBilling = { connection, config, clock, registry, queues, redis, prefix, lifecycle, log, logThrottled };
  const { billing, entitled, records } = await openApiBilling(toBilling);
  const metrics = { http: createHttpMetrics(registry), ingest: createIngestMetrics(registry) };
  const submissions = { log: ranking.log, queue: queue.port, metrics };
  const ports: ApiPorts = {
    clock,
    board,
    accounts,
    ...openIdentity(options, { accounts, ranking, billing: { ...billing, ...records }, redis, prefix, clock }),
    operators: ranking.operators,
    billing,
    entitled,
    purchases,
    checkStores: () => pingMongo(connection),
    redis: queue.redis,
    ...(tracing === null ? submissions : traceSubmissions(tracing, submissions)),
    logger: log,
  };
  const api = createApp(ports, { ...config, redisPrefix: prefix, ...options.measuring });
  lifecycle.onClose('api', () => api.close());
  const listener = tracing?.listener(api.listener) ?? api.listener;
  const supervised = createHttpServer(listener, { ...config, metrics: metrics.http });
  const { server } = supervised;
  server.listen({ host: config.host, port: config.port });
  await once(server, 'listening');
  lifecycle.onClose('http server', () => closeHttpServer(supervised, api, idleGraceMs), LIMITS.shutdown.httpMs);
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : config.port };
}

/** Starts tracing when a collector is configured. Called first, so that it closes last. */
async function openTracing(
  { config: { tracesUrl }, lifecycle }: ApiOptions,
  logThrottled: (error: unknown) => void,
): Promise<Tracing | null> {
  if (tracesUrl === null) return null;
  const tracing = await startTracing({ tracesUrl, service: 'upsilon-api', logThrottled });
  lifecycle.onClose('traces', () => tracing.close());
  return tracing;
}

function logPremiumConfig({ config: { premium }, log }: ApiOptions): void {
  if (premium === null) {
    log.warn('X402_PAY_TO is not set: the premium routes are closed');
  } else if (premium.facilitatorUrl === null) {
    const level = premium.testNetwork ? 'info' : 'warn';
    log[level]('X402_FACILITATOR_URL is not set: the premium routes return their prices, but cannot accept payments');
  }
}

/** Sign-in and the authorization server, or an outside identity provider. */
function openIdentity(
  { config, lifecycle, log }: ApiOptions,
  { accounts, ranking, billing, redis, prefix, clock }: IdentityParts,
): Pick<ApiPorts, 'members' | 'identity' | 'outside'> {
  const { operators } = ranking;
  const recordErasure = createErasureList(join(config.dataDir, 'erasures.jsonl'));
  const members = createMembers({ accounts, billing, operators, recordErasure });
  const maker = createOperatorMaker(operators);
  const { issuer, jwksUrl } = config;
  if (jwksUrl !== undefined) return { members, outside: createOutsideAccounts({ issuer, accounts, maker }) };
  const exportMember = createMemberExport({ accounts, billing, operators, clock });
  const ports = { accounts, members, exportMember, billing, maker, operators, clock, redis, logger: log };
  const identity = createIdentity({ ...config, redisPrefix: prefix }, ports);
  lifecycle.onClose('sign-in', () => identity.close());
  return { members, identity };
}

interface IdentityParts {
  readonly accounts: Accounts;
  readonly ranking: Ranking;
  readonly billing: ApiPorts['billing'] & Pick<Billing, 'forget' | 'payments' | 'subscriptionsOf'>;
  readonly redis: ApiPorts['redis'];
  readonly prefix: string;
  readonly clock: Clock;
}

/** Never waits for Redis: the log already contains every queued entry, and reconciliation enqueues lost ones. */
async function openSnapshotQueue(
  { config, lifecycle }: ApiOptions,
  prefix: string,
  metrics: ReturnType<typeof createQueueMetrics>,
  logThrottled: (error: unknown) => void,
  tracing: Tracing | null,
) {
  const redis = openFailFastRedis(config.redisUrl, logThrottled);
  lifecycle.onClose('Redis', () => redis.disconnect());
  const queues = openQueues(redis, prefix, logThrottled, tracing?.queues);
  lifecycle.onClose('queues', () => queues.close());
  const health = watchQueues(queues, metrics, logThrottled);
  lifecycle.onClose('queue health', () => health.close());
  const eventsRedis = openBlockingRedis(config.redisUrl, logThrottled);
  lifecycle.onClose('Redis events', () => eventsRedis.disconnect());
  const verdicts = await openVerdictEvents(eventsRedis, prefix, logThrottled);
  lifecycle.onClose('verdict events', () => verdicts.close());
  const port: ApiPorts['queue'] = {
    enqueue: (batch, entries) => enqueueBatch(queues, batch, entries),
    depth: () => health.depth(),
    waitForBatch: (batch, signal) => verdicts.waitFor(batch, signal),
  };
  return { port, redis, queues };
}

/** A board reader that refreshes on published versions, and polls in case a message is lost. */
async function followBoard(
  { config, lifecycle }: ApiOptions,
  ranking: Ranking,
  prefix: string,
  metrics: ReturnType<typeof createBoardViewMetrics>,
  logThrottled: (error: unknown) => void,
): Promise<BoardReader> {
  const board = await ranking.openBoardReader(logThrottled);
  lifecycle.onClose('board reader', () => board.close());
  const show = (): void => {
    const view = board.view();
    metrics.shows({ ...view, operators: view.totals.all_time });
  };
  show();
  board.onView(show);
  const hints = openSubscription({
    redisUrl: config.redisUrl,
    channel: boardChannel(prefix),
    onMessage: () => void board.refresh().catch(logThrottled),
    onError: logThrottled,
  });
  lifecycle.onClose('board hints', () => hints.close());
  return board;
}
