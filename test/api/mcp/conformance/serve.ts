/**
 * Serves the MCP endpoint for the official conformance suite, which is run by hand as the README beside this file says:
 * `node --import tsx test/api/mcp/conformance/serve.ts fixtures` has the tools that the suite looks for, `product` those
 * of the service over the fixed field. Prints the address; ends with SIGTERM or Ctrl-C.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import Koa from 'koa';
import { createClientKey } from '../../../../api/http/client-key.ts';
import { createRateLimiter } from '../../../../api/http/rate-limit/rate-limiter.ts';
import { RATE_POLICIES } from '../../../../api/http/rate-limit/rate-policy.ts';
import { serveMcp } from '../../../../api/mcp/serve-mcp.ts';
import { createLogger } from '../../../../ops/telemetry/index.ts';
import { TEST_SETTINGS } from '../../../support/api-ports.ts';
import { stopTestEngines } from '../../../support/engines.ts';
import { openMcpApi } from '../open-mcp.ts';
import { createFixtureServer } from './fixture-server.ts';

/** Calls the suite may make in a minute. */
const QUOTA = 100_000;

interface Served {
  readonly origin: string;
  close(): Promise<void>;
}

async function serveProduct(): Promise<Served> {
  const test = await openMcpApi();
  return {
    origin: test.origin,
    async close() {
      await test[Symbol.asyncDispose]();
      await stopTestEngines();
    },
  };
}

function noBoard(): never {
  throw new Error('the fixtures read no board');
}

/** The same middleware as in the product, on a server of its own. */
async function serveFixtures(): Promise<Served> {
  const rates = { ...RATE_POLICIES, public: { ...RATE_POLICIES.public, quota: QUOTA } };
  const endpoint = serveMcp({
    addresses: TEST_SETTINGS,
    board: { ask: noBoard, view: noBoard },
    limiter: createRateLimiter(rates, 1, Date.now),
    clientKey: createClientKey([]),
    logger: createLogger({ name: 'conformance', logLevel: 'error' }),
    createServer: createFixtureServer,
  });
  const handle = new Koa().use(endpoint.middleware).callback();
  const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      await endpoint.close();
      server.close().closeAllConnections();
    },
  };
}

const served = await (process.argv[2] === 'product' ? serveProduct() : serveFixtures());
process.stdout.write(`${served.origin}/mcp\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void served.close());
