import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApi } from '../../api/start-api.ts';
import { loadServiceConfig, type ServiceConfig } from '../../config/config.ts';
import { type Accounts } from '../../engine/accounts/index.ts';
import { type Connection, openMongo } from '../../engine/mongo/index.ts';
import { type Ranking } from '../../engine/ranking/index.ts';
import { freePort } from '../../ops/local/free-port.ts';
import { createLifecycle } from '../../ops/runtime/lifecycle.ts';
import { createLogger } from '../../ops/runtime/telemetry/index.ts';
import { startWorker } from '../../workers/start-worker.ts';
import { emptyDatabase, type FreshDatabase, returnDatabase } from './engines.ts';
import { openEngine } from './open-engine.ts';
import { createPlainBoard } from './plain-board.ts';

/** The service as in production, with sign-in, over real engines, at a separate address. */
export interface IdentityService extends AsyncDisposable {
  readonly config: ServiceConfig;
  readonly origin: string;
  readonly accounts: Accounts;
  readonly ranking: Ranking;
  readonly connection: Connection;
  readonly database: FreshDatabase;
  /** Whether a worker decides what is submitted. */
  readonly hasWorker: boolean;
  /** How far its clock is ahead of the machine's, in milliseconds. */
  ahead: number;
  /** Another api process over the same stores; returns its address. */
  another(): Promise<string>;
  close(): Promise<void>;
}

export interface IdentityServiceOptions {
  /** Variables beyond the usual; may depend on the port. */
  readonly env?: (port: number) => Record<string, string>;
  /** Changes what follows from the variables. */
  readonly change?: (config: ServiceConfig) => Partial<ServiceConfig>;
  readonly worker?: boolean;
  /** Of its first board; `PLAIN_METHODOLOGY` unless given. */
  readonly methodology?: number;
}

export async function openIdentityService(options: IdentityServiceOptions = {}): Promise<IdentityService> {
  const database = await emptyDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'upsilon-identity-'));
  // Its own, and behind it those of the metrics of the api and a worker.
  const port = await freePort(3);
  const env = {
    MONGODB_URL: database.mongoUrl,
    REDIS_URL: database.redisUrl,
    DATA_DIR: dataDir,
    PORT: String(port),
    METRICS_PORT: String(port + 1),
    ...options.env?.(port),
  };
  const loaded = loadServiceConfig(env);
  const config = { ...loaded, ...options.change?.(loaded) };
  const log = createLogger({ name: 'identity-test', logLevel: 'silent' });
  const lifecycle = createLifecycle({ log, deadlineMs: 10_000 });
  const clock = (): number => Date.now() + service.ahead;
  const connection = await openMongo(database.mongoUrl);
  const { accounts, ranking } = openEngine(connection, clock, config.secretsKeys);
  const { prefix } = database;
  await createPlainBoard(database.mongoUrl, Date.now, options.methodology);
  const start = async (given: ServiceConfig): Promise<number> =>
    (
      await startApi({
        config: { ...given, metricsPort: await freePort() },
        log,
        lifecycle,
        clock,
        prefix,
        idleGraceMs: 0,
      })
    ).port;
  const service: IdentityService = {
    config,
    origin: `http://localhost:${port}`,
    accounts,
    ranking,
    connection,
    database,
    hasWorker: options.worker === true,
    ahead: 0,
    another: async () => `http://127.0.0.1:${await start({ ...config, port: await freePort() })}`,
    async close() {
      await lifecycle.close('the test is over');
      await returnDatabase(connection);
      await connection.close();
      await rm(dataDir, { recursive: true, force: true });
    },
    [Symbol.asyncDispose]: () => service.close(),
  };
  await start(config);
  if (service.hasWorker) {
    const workerMetricsPort = await freePort();
    await startWorker({ config: { ...config, workerMetricsPort }, log, lifecycle, clock, prefix });
  }
  return service;
}
