import { Redis } from 'ioredis';
import { createConnection } from 'mongoose';
import { type Api, createApp } from '../../api/app.ts';
import { createMembers } from '../../api/auth/members/members.ts';
import { createPlans } from '../../api/billing/create-plans.ts';
import { closeHttpServer, createHttpServer, type HttpServerOptions } from '../../api/http/http-server.ts';
import { RATE_POLICIES, type RatePolicies } from '../../api/http/rate-limit/rate-policy.ts';
import type { ApiPorts } from '../../api/ports.ts';
import type { ApiSettings } from '../../api/settings.ts';
import { loadConfig } from '../../config/config.ts';
import { type Accounts, createAccounts } from '../../engine/accounts/index.ts';
import { createBilling, createPurchases, type PurchaseOptions, type Purchases } from '../../engine/billing/index.ts';
import type { Connection } from '../../engine/mongo/index.ts';
import { type Clock, createRanking, type Ranking } from '../../engine/ranking/index.ts';
import { createLogger } from '../../ops/runtime/telemetry/index.ts';
import { checkConformance } from '../api/conformance.ts';
import type { Answered } from './answered.ts';
import { freshDatabase } from './engines.ts';
import { InlineQueue } from './inline-queue.ts';
import { makeDeviceKey, makeDeviceProof, makeSubmission, type TestDeviceKey, type TestPayload } from './signing.ts';

export type { Answered } from './answered.ts';

/** Start time of test APIs: a full hour. */
export const TEST_NOW = Date.UTC(2026, 4, 4, 12);

/** Quotas that no test reaches unintentionally. */
const WIDE_RATES: RatePolicies = {
  public: { ...RATE_POLICIES.public, quota: 100_000 },
  snapshots: { ...RATE_POLICIES.snapshots, quota: 100_000 },
  snapshotsDay: { ...RATE_POLICIES.snapshotsDay, quota: 100_000 },
  operator: { ...RATE_POLICIES.operator, quota: 100_000 },
  webhooks: { ...RATE_POLICIES.webhooks, quota: 100_000 },
  failures: { ...RATE_POLICIES.failures, quota: 100_000 },
};

export const TEST_SETTINGS: ApiSettings = {
  baseUrl: 'http://upsilon.test/api/v1',
  siteUrl: 'http://upsilon.test',
  loginUrl: 'http://upsilon.test',
  authUrl: 'http://upsilon.test',
  issuer: 'http://upsilon.test',
  jwksUrl: undefined,
  enforcePlan: false,
  billing: loadConfig({}).billing,
  contact: null,
  premium: testPremium(),
  trustedProxies: [],
  verdictWaitMs: 5_000,
  rates: WIDE_RATES,
};

/** Premium settings of a local copy, without a chain URL. */
function testPremium(): ApiSettings['premium'] {
  const { premium } = loadConfig({});
  return premium && { ...premium, rpcUrl: null };
}

const ALL_SCOPES = 'openid profile email';

/** An operator that can submit. */
export interface TestOperator {
  readonly operator: number;
  readonly codename: string;
  readonly token: string;
  readonly key: TestDeviceKey;
}

/** An api over real engines, listening on a separate port. */
export class TestApi implements AsyncDisposable {
  now = TEST_NOW;
  readonly settings: ApiSettings;
  readonly accounts: Accounts;
  readonly ranking: Ranking;
  readonly queue: InlineQueue;
  readonly api: Api;
  readonly origin: string;
  readonly answered: { route: string; method: string; status: number }[];
  readonly purchases: Purchases;
  /** Connection to the database of this api. */
  readonly connection: Connection;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
    ({ settings: this.settings, accounts: this.accounts, ranking: this.ranking, queue: this.queue } = parts);
    ({ api: this.api, answered: this.answered, connection: this.connection } = parts);
    this.purchases = parts.ports.purchases;
    this.origin = `http://127.0.0.1:${parts.port}`;
  }

  /** Sends a request to a path of the origin. */
  async send(path: string, init: RequestInit = {}): Promise<Answered> {
    const response = await fetch(`${this.origin}${path}`, { redirect: 'manual', ...init });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== '';
    const answered = {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : null,
    };
    checkConformance(init.method ?? 'GET', path, answered, this.settings);
    return answered;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answered> {
    return this.send(path, { headers });
  }

  /** Posts JSON with a token; a body that is not an object is sent unchanged. */
  post(path: string, token: string | null, body: unknown, headers: Record<string, string> = {}): Promise<Answered> {
    const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    return this.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Creates an operator with an account, a token and an enrolled device. */
  async operator(codename: string): Promise<TestOperator> {
    const enrolment = await this.ranking.operators.enrol({ codename });
    if (enrolment.kind !== 'enrolled') throw new Error(enrolment.detail);
    const { operator } = enrolment;
    await this.accounts.create({ operator });
    const key = makeDeviceKey();
    const proof = makeDeviceProof(key, { codename, iat: Math.floor(this.now / 1000) });
    await this.accounts.devices.enrol({ operator, codename, jwk: key.jwk, proof });
    return { operator, codename, key, token: await this.token(operator) };
  }

  async token(
    operator: number,
    claims: { scope?: string; audience?: string; issuer?: string; clientId?: string } = {},
  ): Promise<string> {
    const account = await this.accounts.byOperator(operator);
    return this.accounts.signingKeys.mintAccessToken({
      subject: account?.subject ?? 'nobody',
      scope: ALL_SCOPES,
      audience: this.settings.baseUrl,
      issuer: this.settings.issuer,
      lifetimeSeconds: 600,
      ...claims,
    });
  }

  /** A snapshot body that the operator's device signed now. */
  snapshot({ codename, key }: TestOperator, counts: Partial<TestPayload> = {}, header: Record<string, unknown> = {}) {
    const payload = { codename, input: 10, output: 20, cache_read: 300, cache_write: 4, ...counts };
    return makeSubmission(key, payload, { iat: Math.floor(this.now / 1000), ...header });
  }

  /** Commits the applied snapshots and waits until the api has the version. */
  async publish(): Promise<void> {
    await this.#parts.publish();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.close();
  }
}

interface Parts {
  readonly ports: Pick<ApiPorts, 'purchases'>;
  readonly connection: Connection;
  readonly settings: ApiSettings;
  readonly accounts: Accounts;
  readonly ranking: Ranking;
  readonly queue: InlineQueue;
  readonly api: Api;
  readonly answered: { route: string; method: string; status: number }[];
  readonly port: number;
  readonly publish: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface TestApiOptions {
  readonly settings?: Partial<ApiSettings>;
  /** Overrides the timeouts of calls to the facilitator. */
  readonly timeouts?: PurchaseOptions['timeouts'];
  /** Overrides the time limit of calls to Stripe, in milliseconds. */
  readonly stripeCallMs?: number;
  /** Overrides the limits of connections. */
  readonly server?: Partial<HttpServerOptions>;
  /** Replaces ports, given the real ones. */
  readonly ports?: (ports: ApiPorts) => Partial<ApiPorts>;
}

/** Return URLs of Stripe's pages. */
const RETURNS = {
  success: `${TEST_SETTINGS.loginUrl}/account/subscribed`,
  cancel: `${TEST_SETTINGS.loginUrl}/account/plan`,
  portal: `${TEST_SETTINGS.loginUrl}/account`,
};

/** Opens an api on a new database. Its clock stands still until a test sets it. */
export async function openTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const { settings = {}, ports = () => ({}) } = options;
  let test: TestApi | null = null;
  const engines = await openEngines(() => test?.now ?? TEST_NOW, options);
  const used = { ...TEST_SETTINGS, redisPrefix: engines.prefix, ...settings };
  const api = createApp({ ...engines.ports, ...ports(engines.ports) }, used);
  const supervised = createHttpServer(api.listener, { connectionsPerAddress: 256, ...used, ...options.server });
  const { server } = supervised;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = async (): Promise<void> => {
    await closeHttpServer(supervised, api);
    await api.close();
    await engines.close();
  };
  test = new TestApi({ ...engines, settings: used, api, port, close });
  return test;
}

/** The real stores and engines on a new database, and the ports over them. */
async function openEngines(clock: Clock, { settings, timeouts, stripeCallMs }: TestApiOptions) {
  const { mongoUrl, redisUrl, prefix } = await freshDatabase();
  const connection = await createConnection(mongoUrl).asPromise();
  const redis = new Redis(redisUrl);
  const accounts = createAccounts({ connection, clock });
  const ranking = createRanking({
    connection,
    clock,
    deviceKeys: accounts.deviceKeys,
    sharedSecret: accounts.sharedSecret,
  });
  await Promise.all([accounts.ensureIndexes(), ranking.ensureIndexes()]);
  await ranking.ensureBoard();
  const { premium: config = TEST_SETTINGS.premium } = settings ?? {};
  const purchases = createPurchases({ connection, clock, config, ...(timeouts === undefined ? {} : { timeouts }) });
  await purchases.ensureIndexes();
  const { billing: cards = TEST_SETTINGS.billing } = settings ?? {};
  const card = { config: cards, returns: RETURNS, callTimeoutMs: stripeCallMs };
  const billing = createBilling({ connection, clock, card, onChange });
  await billing.ensureIndexes();
  const plans = createPlans(billing, clock);
  function onChange(operator: number): void {
    plans.changed(operator);
  }
  const board = await ranking.openBoardReader(ignore);
  const committer = ranking.createCommitter(ignore, ignore);
  const queue = new InlineQueue(ranking);
  const answered: { route: string; method: string; status: number }[] = [];
  const ports: ApiPorts = {
    clock,
    board,
    log: ranking.log,
    queue,
    accounts,
    members: createMembers({ accounts, billing, operators: ranking.operators, recordErasure: async () => undefined }),
    operators: ranking.operators,
    entitled: plans.entitled,
    billing: {
      ...plans,
      card: billing.card,
      // Does the work of a worker.
      enqueue: async (event) => billing.card?.events.apply(event),
    },
    purchases,
    checkStores: async () => void (await connection.db?.command({ ping: 1 })),
    redis,
    metrics: {
      http: {
        answered: (route, method, status) => void answered.push({ route, method, status }),
        connectionClosed: ignore,
      },
      ingest: { logged: ignore, processed: ignore },
    },
    logger: createLogger({ name: 'api-test', logLevel: 'silent' }),
  };
  const publish = async (): Promise<void> => {
    while (await committer.tick());
    await board.refresh();
  };
  const close = async (): Promise<void> => {
    await committer.close();
    await board.close();
    await redis.quit();
    await connection.dropDatabase();
    await connection.close();
  };
  return { connection, prefix, accounts, ranking, queue, answered, ports, publish, close };
}

function ignore(): void {
  // Unused by tests.
}
