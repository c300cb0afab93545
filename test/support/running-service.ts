import { startApi } from '../../api/start-api.ts';
import { loadServiceConfig } from '../../config/config.ts';
import { type Accounts } from '../../engine/accounts/index.ts';
import { type Connection, openMongo } from '../../engine/mongo/index.ts';
import { type Ranking } from '../../engine/ranking/index.ts';
import { freePort } from '../../ops/local/free-port.ts';
import { createLifecycle } from '../../ops/runtime/lifecycle.ts';
import { createLogger } from '../../ops/runtime/telemetry/index.ts';
import { startWorker } from '../../workers/start-worker.ts';
import { emptyDatabase, type FreshDatabase, returnDatabase } from './engines.ts';
import { enrolOperator, openEngine } from './open-engine.ts';
import { createPlainBoard, PLAIN_METHODOLOGY } from './plain-board.ts';

const SCOPES = 'openid profile email';
const TOKEN_LIFETIME_S = 3_600;

/** A complete service in this process: the product's api and worker over real engines, with a clock that the test sets. */
export interface RunningService {
  /** `http://127.0.0.1:PORT/api/v1` */
  readonly baseUrl: string;
  readonly database: FreshDatabase;
  readonly connection: Connection;
  readonly accounts: Accounts;
  readonly ranking: Ranking;
  /** Milliseconds since the epoch. */
  now: number;
  /** Creates an operator with an account. Returns its number and a token. */
  operator(codename: string): Promise<{ readonly operator: number; readonly token: string }>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function runService(
  options: {
    readonly now?: number;
    /** In place of the one that the test sets: for programs that have the system's. */
    readonly clock?: () => number;
    readonly settings?: Readonly<Record<string, string>>;
    /** Where the api's metrics are; the worker's are at the next port. Any port unless given. */
    readonly metricsPort?: number;
    readonly database?: FreshDatabase;
    /** Of its first board; `PLAIN_METHODOLOGY` unless given. */
    readonly methodology?: number;
    /** Receives every line of the service's log, of all levels; without it the log is off. */
    readonly onLog?: (line: string) => void;
  } = {},
): Promise<RunningService> {
  const database = options.database ?? (await emptyDatabase());
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const loaded = loadServiceConfig({
    MONGODB_URL: database.mongoUrl,
    REDIS_URL: database.redisUrl,
    PORT: String(port),
    BASE_URL: `${origin}/api/v1`,
    SITE_URL: origin,
    LOGIN_URL: origin,
    AUTH_URL: origin,
    VERDICT_WAIT_MS: '10000',
    ...options.settings,
  });
  const { metricsPort, onLog, methodology } = options;
  const workerMetricsPort = metricsPort === undefined ? 0 : metricsPort + 1;
  const config = { ...loaded, metricsPort: metricsPort ?? 0, workerMetricsPort };
  const log = logTo(onLog);
  const lifecycle = createLifecycle({ log, deadlineMs: 10_000 });
  const service = { now: options.now ?? Date.now() };
  const clock = options.clock ?? ((): number => service.now);
  const { prefix } = database;
  await createPlainBoard(database.mongoUrl, clock, methodology ?? PLAIN_METHODOLOGY);
  await startWorker({ config, log, lifecycle, clock, prefix });
  await startApi({ config, log, lifecycle, clock, prefix, idleGraceMs: 0 });
  const connection = await openMongo(database.mongoUrl);
  const { accounts, ranking } = openEngine(connection, clock, config.secretsKeys);
  return Object.assign(service, {
    baseUrl: config.baseUrl,
    database,
    connection,
    accounts,
    ranking,
    async operator(codename: string) {
      const operator = await enrolOperator(ranking, codename);
      const { subject } = await accounts.create({ operator });
      const { authUrl: issuer, baseUrl: audience } = config;
      const request = { subject, scope: SCOPES, issuer, audience, lifetimeSeconds: TOKEN_LIFETIME_S };
      return { operator, token: await accounts.signingKeys.mintAccessToken(request) };
    },
    async [Symbol.asyncDispose]() {
      await lifecycle.close('the test is over');
      await (options.database === undefined ? returnDatabase(connection) : connection.dropDatabase());
      await connection.close();
    },
  });
}

function logTo(write: ((line: string) => void) | undefined) {
  if (write === undefined) return createLogger({ logLevel: 'silent', name: 'test' });
  return createLogger({ logLevel: 'trace', name: 'test' }, { write });
}
