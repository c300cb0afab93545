import { Redis } from 'ioredis';
import { createConnection } from 'mongoose';
import { createPlans } from '../../api/billing/create-plans.ts';
import type { ApiConfig, ApiContext } from '../../api/context/api-context.ts';
import { type RatePolicies, ratePolicies } from '../../api/http/rate-limit/rate-policy.ts';
import { createMembers } from '../../api/members/members.ts';
import { type Config, loadConfig } from '../../config/config.ts';
import { createBilling, createPurchases, type PurchaseOptions } from '../../engine/billing/index.ts';
import { type Clock } from '../../engine/ranking/index.ts';
import { createLogger } from '../../ops/runtime/telemetry/index.ts';
import { emptyDatabase, returnDatabase } from './engines.ts';
import { InlineQueue } from './inline-queue.ts';
import { openEngine } from './open-engine.ts';
import { PLAIN_METHODOLOGY } from './plain-board.ts';

/** Quotas that no test reaches unintentionally. */
const WIDE_RATES = ratePolicies({ quota: 100_000 });

const DEFAULTS = loadConfig({});

export const TEST_SETTINGS: Config & { readonly rates: RatePolicies } = {
  ...DEFAULTS,
  baseUrl: 'http://upsilon.test/api/v1',
  siteUrl: 'http://upsilon.test',
  loginUrl: 'http://upsilon.test',
  authUrl: 'http://upsilon.test',
  contact: null,
  // A local copy's, without a chain URL.
  premium: DEFAULTS.premium && { ...DEFAULTS.premium, rpcUrl: null },
  verdictWaitMs: 5_000,
  connectionsPerAddress: 256,
  rates: WIDE_RATES,
};

export interface TestContextOptions {
  /** Of the first board; `PLAIN_METHODOLOGY` unless given. */
  readonly methodology?: number;
  readonly settings?: Partial<ApiConfig>;
  /** Overrides the timeouts of calls to the facilitator. */
  readonly timeouts?: PurchaseOptions['timeouts'];
  /** Overrides the time limit of calls to Stripe, in milliseconds. */
  readonly stripeCallMs?: number;
  /** Replaces parts of the context. */
  readonly context?: (ctx: ApiContext) => Partial<ApiContext>;
}

/** Return URLs of Stripe's pages. */
const RETURNS = {
  success: `${TEST_SETTINGS.loginUrl}/account/subscribed`,
  cancel: `${TEST_SETTINGS.loginUrl}/account/plan`,
  portal: `${TEST_SETTINGS.loginUrl}/account`,
};

/** The context of an api, as `openContext` builds it, over real stores and engines on a new database. */
export async function openTestContext(clock: Clock, options: TestContextOptions) {
  const { settings = {}, timeouts, stripeCallMs: callTimeoutMs } = options;
  const { mongoUrl, redisUrl, prefix } = await emptyDatabase();
  const config: ApiConfig = { ...TEST_SETTINGS, redisPrefix: prefix, ...settings };
  const connection = await createConnection(mongoUrl).asPromise();
  const redis = new Redis(redisUrl);
  const { accounts, ranking } = openEngine(connection, clock);
  await Promise.all([accounts.ensureIndexes(), ranking.ensureIndexes()]);
  await ranking.ensureBoard(options.methodology ?? PLAIN_METHODOLOGY);
  const shop = { connection, clock, config: config.premium };
  const purchases = createPurchases(timeouts === undefined ? shop : { ...shop, timeouts });
  await purchases.ensureIndexes();
  const card = { config: config.billing, returns: RETURNS, callTimeoutMs };
  const billing = createBilling({ connection, clock, card, onChange: (operator) => plans.changed(operator) });
  await billing.ensureIndexes();
  const plans = createPlans(billing, clock);
  const { operators } = ranking;
  const board = await ranking.openBoardReader(ignore);
  const committer = ranking.createCommitter(ignore, ignore);
  const queue = new InlineQueue(ranking);
  const answered: { route: string; method: string; status: number }[] = [];
  const real: ApiContext = {
    config,
    clock,
    log: createLogger({ name: 'api-test', logLevel: 'silent' }),
    metrics: {
      http: {
        answered: (route, method, status) => void answered.push({ route, method, status }),
        refused: ignore,
        connectionClosed: ignore,
        subscriptionsOpen: ignore,
      },
      ingest: { logged: ignore, processed: ignore },
      mailed: ignore,
    },
    ranking,
    board,
    queue,
    accounts,
    members: createMembers({ accounts, billing, operators, recordErasure: async () => undefined }),
    billing: {
      ...billing,
      ...plans,
      // Does the work of a worker.
      enqueue: async (event) => billing.card?.events.apply(event),
    },
    purchases,
    redis,
    storeHealth: () => ({ mongodb: 'up', redis: 'up' }),
    isStopping: () => false,
  };
  return {
    ctx: { ...real, ...options.context?.(real) },
    queue,
    answered,
    connection,
    async publish(): Promise<void> {
      while (await committer.tick());
      await board.refresh();
    },
    async close(): Promise<void> {
      await committer.close();
      await board.close();
      await redis.quit();
      await returnDatabase(connection);
      await connection.close();
    },
  };
}

function ignore(): void {
  // Unused by tests.
}
