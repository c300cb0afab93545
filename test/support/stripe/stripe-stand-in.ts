import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { BillingConfig } from '../../../config/billing.ts';
import { loadConfig } from '../../../config/config.ts';
import type { EnvSource } from '../../../config/env.ts';
import { listenOnFreePort } from '../listen.ts';
import { Actions, must } from './actions.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { endpointsOf, Refusal } from './endpoints.ts';
import { Ledger } from './ledger.ts';
import { answerPage } from './pages.ts';
import { readParams } from './read-params.ts';
import { STAND_IN_KEY, STAND_IN_SECRET } from './stand-in-secrets.ts';

/** Behaviour of the stand-in: normal, refusing everything with 500, hanging up, or never responding. */
export type Condition = 'well' | 'erring' | 'dead' | 'silent';

/**
 * A stand-in for Stripe that stores objects in Stripe's documented shapes and sends signed webhooks.
 * It is used through Stripe's client library: only host and key differ from Stripe.
 */
export class StripeStandIn implements AsyncDisposable {
  readonly ledger: Ledger;
  readonly actions: Actions;
  readonly deliveries: Deliveries;
  readonly origin: string;
  condition: Condition = 'well';
  /** `POST /v1/customers` and the like, in the order in which they came. */
  readonly requests: string[] = [];
  /** Requests that it refuses with 400. */
  readonly refused = new Set<string>();
  /** Called with each request, and awaited, before it is answered. */
  meanwhile: (request: string) => unknown = () => undefined;
  readonly #server: Server;
  readonly #answers = new Map<string, { readonly body: string; readonly answer: string }>();

  private constructor(server: Server, origin: string, clock: () => number) {
    this.#server = server;
    this.origin = origin;
    this.ledger = new Ledger(clock);
    this.actions = new Actions(this.ledger);
    this.deliveries = createDeliveries(this.ledger, clock);
  }

  /** Listens on a free port. `clock` is in milliseconds since the epoch. */
  static async open(clock: () => number = Date.now): Promise<StripeStandIn> {
    const server = createServer();
    const port = await listenOnFreePort(server);
    const standIn = new StripeStandIn(server, `http://127.0.0.1:${port}`, clock);
    server.on('request', (request, response) => void standIn.#serve(request, response));
    return standIn;
  }

  /** The settings with which the service talks to it. */
  billing(env: EnvSource = {}): BillingConfig {
    const keys = { STRIPE_SECRET_KEY: STAND_IN_KEY, STRIPE_WEBHOOK_SECRET: STAND_IN_SECRET };
    const { billing } = loadConfig({ ...keys, ...env });
    const here = { apiUrl: this.origin, pageOrigins: [this.origin] };
    return { ...billing, stripe: billing.stripe && { ...billing.stripe, ...here } };
  }

  /** Closes all connections, also those with pending requests. */
  hangUp(): void {
    this.condition = 'dead';
    this.#server.closeAllConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.deliveries.settled();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
    const { pathname, search } = new URL(request.url ?? '', this.origin);
    const body = Buffer.concat(chunks).toString('utf8');
    if (!pathname.startsWith('/v1/'))
      return answerPage(this, { method: request.method ?? 'GET', pathname, search }, response);
    this.requests.push(`${request.method} ${pathname}`);
    await this.meanwhile(`${request.method} ${pathname}`);
    if (this.condition === 'dead') return void request.socket.destroy();
    if (this.condition === 'silent') return;
    if (this.condition === 'erring') return send(response, 500, failure('api_error', null, 'The stand-in is erring.'));
    if (request.headers.authorization !== `Bearer ${STAND_IN_KEY}`) {
      return send(response, 401, failure('invalid_request_error', null, 'Invalid API Key provided'));
    }
    if (this.refused.has(`${request.method} ${pathname}`)) {
      return send(response, 400, failure('invalid_request_error', null, 'The stand-in refuses this.'));
    }
    const key = request.headers['idempotency-key'];
    this.#answer(
      `${request.method} ${pathname}`,
      body === '' ? search.slice(1) : body,
      typeof key === 'string' ? key : null,
      response,
    );
  }

  /** A repeated idempotency key gets the first response. */
  #answer(target: string, body: string, key: string | null, response: ServerResponse): void {
    const former = key === null ? undefined : this.#answers.get(key);
    if (former !== undefined && former.body !== `${target} ${body}`) {
      const message = 'Keys for idempotent requests can only be used with the same parameters.';
      return send(response, 400, failure('idempotency_error', null, message));
    }
    if (former !== undefined) return send(response, 200, former.answer, { 'idempotent-replayed': 'true' });
    try {
      const found = this.#run(target, body);
      if (found === null) {
        return send(response, 404, failure('invalid_request_error', 'resource_missing', `No such object: ${target}`));
      }
      const answer = JSON.stringify(found, (name, value: unknown) =>
        name === 'invoice_of_stand_in' ? undefined : value,
      );
      if (key !== null) this.#answers.set(key, { body: `${target} ${body}`, answer });
      send(response, 200, answer);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const status = error.code === 'resource_missing' ? 404 : 400;
      send(response, status, failure('invalid_request_error', error.code, error.message));
    }
  }

  #run(target: string, body: string): object | null {
    const endpoints = endpointsOf(this.ledger, this.origin);
    const params = readParams(body);
    const plain = endpoints.get(target);
    if (plain !== undefined) return plain(params, '');
    const parts = target.split('/');
    for (const at of [parts.length - 1, parts.length - 2]) {
      const endpoint = endpoints.get(parts.with(at, '*').join('/'));
      if (endpoint !== undefined) return endpoint(params, must(parts[at]));
    }
    throw new Refusal('unknown_url', `Unrecognized request URL (${target})`);
  }
}

function failure(type: string, code: string | null, message: string): string {
  return JSON.stringify({ error: { type, message, ...(code === null ? {} : { code }) } });
}

function send(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_stand_in', ...headers })
    .end(body);
}
