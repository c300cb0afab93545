import { createServer } from 'node:http';
import Koa from 'koa';
import { createClientKey } from '../../../../api/http/client-key.ts';
import { createHosts } from '../../../../api/http/hosts.ts';
import { createRateLimiter } from '../../../../api/http/rate-limit/rate-limiter.ts';
import { ratePolicies } from '../../../../api/http/rate-limit/rate-policy.ts';
import { serveRoutes } from '../../../../api/http/serve-routes.ts';
import { serveMcp } from '../../../../api/mcp/serve-mcp.ts';
import { createLogger } from '../../../../ops/runtime/telemetry/index.ts';
import { TEST_SETTINGS } from '../../../support/api-context.ts';
import { listenOnFreePort } from '../../../support/listen.ts';
import { createFixtureServer } from './fixture-server.ts';

/** Calls the suite may make in a minute. */
const QUOTA = 100_000;

/** An endpoint that the suite is let loose on. */
export interface ServedFixtures extends AsyncDisposable {
  readonly url: string;
}

function noBoard(): never {
  throw new Error('the fixtures read no board');
}

/** Serves the product's middleware, with the tools that the conformance suite looks for, on a server of its own. */
export async function serveFixtures(): Promise<ServedFixtures> {
  const log = createLogger({ name: 'conformance', logLevel: 'error' });
  const board = { withBoardView: noBoard, view: noBoard };
  const endpoint = serveMcp({
    addresses: TEST_SETTINGS,
    board,
    logger: log,
    clock: Date.now,
    createServer: createFixtureServer,
  });
  const koa = new Koa();
  serveRoutes(koa, [endpoint.route], {
    config: TEST_SETTINGS,
    clock: Date.now,
    log,
    metrics: { http: { answered: () => undefined, refused: () => undefined } },
    board,
    limiter: createRateLimiter(ratePolicies({ quota: QUOTA }), Date.now),
    authenticator: {
      authenticate: () => Promise.reject(new Error('the suite sends no tokens')),
      verifies: () => Promise.resolve(false),
    },
    clientKey: createClientKey([]),
    hosts: createHosts(TEST_SETTINGS),
    problemPages: (_problem, outcome) => outcome,
  });
  const handle = koa.callback();
  const server = createServer((request, response) => void handle(request, response));
  const port = await listenOnFreePort(server);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      await endpoint.close();
      server.close().closeAllConnections();
    },
  };
}
