import { type Api, createApp } from '../../api/app.ts';
import type { ApiConfig, ApiContext } from '../../api/context/api-context.ts';
import type { HttpContext } from '../../api/http/http-context.ts';
import { closeHttpServer, createHttpServer, type HttpServerOptions } from '../../api/http/http-server.ts';
import type { Route } from '../../api/http/route.ts';
import type { Accounts } from '../../engine/accounts/index.ts';
import type { Purchases } from '../../engine/billing/index.ts';
import type { Connection } from '../../engine/mongo/index.ts';
import type { Ranking } from '../../engine/ranking/index.ts';
import { checkConformance } from '../api/conformance.ts';
import type { Answered } from './answered.ts';
import { openTestContext, type TestContextOptions } from './api-context.ts';
import type { InlineQueue } from './inline-queue.ts';
import { listenOnFreePort } from './listen.ts';
import { enrolDevice, enrolOperator } from './open-engine.ts';
import { makeDeviceKey, makeSubmission, type TestDeviceKey, type TestPayload } from './signing.ts';

export type { Answered } from './answered.ts';

/** Start time of test APIs: a full hour. */
export const TEST_NOW = Date.UTC(2026, 4, 4, 12);

const ALL_SCOPES = 'openid profile email';

/** An operator that can submit. */
export interface TestOperator {
  readonly operator: number;
  readonly codename: string;
  readonly token: string;
  readonly key: TestDeviceKey;
}

interface Parts extends Awaited<ReturnType<typeof openTestContext>> {
  readonly api: Api;
  readonly port: number;
}

/** An api over real engines, listening on a separate port. */
export class TestApi implements AsyncDisposable {
  now = TEST_NOW;
  readonly settings: ApiConfig;
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
    ({ api: this.api, queue: this.queue, answered: this.answered, connection: this.connection } = parts);
    ({ config: this.settings, accounts: this.accounts, ranking: this.ranking, purchases: this.purchases } = parts.ctx);
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
    const operator = await enrolOperator(this.ranking, codename);
    await this.accounts.create({ operator });
    const key = makeDeviceKey();
    await enrolDevice(this.accounts, { operator, codename }, key, this.now);
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
      issuer: this.settings.authUrl,
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

export interface TestApiOptions extends TestContextOptions {
  /** Makes the routes of sign-in; without it the api has none. */
  readonly identity?: (ctx: ApiContext) => Promise<readonly Route<HttpContext>[]>;
  /** Overrides the limits of connections. */
  readonly server?: Partial<HttpServerOptions>;
}

/** Opens an api on a new database. Its clock stands still until a test sets it. */
export async function openTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  let test: TestApi | null = null;
  const opened = await openTestContext(() => test?.now ?? TEST_NOW, options);
  const { config } = opened.ctx;
  const api = createApp(opened.ctx, await options.identity?.(opened.ctx));
  const supervised = createHttpServer(api.listener, { ...config, ...options.server });
  const { server } = supervised;
  const port = await listenOnFreePort(server);
  const close = async (): Promise<void> => {
    await closeHttpServer(supervised, api);
    await api.close();
    await opened.close();
  };
  test = new TestApi({ ...opened, api, port, close });
  return test;
}
