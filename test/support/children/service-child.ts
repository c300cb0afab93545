import { createServer } from 'node:http';
import { loadServiceConfig } from '../../../config/config.ts';
import { createLifecycle } from '../../../ops/runtime/lifecycle.ts';
import { createLogger } from '../../../ops/runtime/telemetry/index.ts';

/** Replacement for the api and the workers: returns its environment on the api's port, and crashes on request. */
const config = loadServiceConfig();
const lifecycle = createLifecycle({
  log: createLogger({ logLevel: config.logLevel, name: 'service' }),
  deadlineMs: 5_000,
});
lifecycle.installSignalHandlers();

const isApi = /api-child\.\w+$/.test(process.argv[1] ?? '');
const server = createServer((request, response) => {
  if (request.url === '/crash') process.exit(7);
  const { mongoUrl, redisUrl, workerIndex } = config;
  response.end(JSON.stringify({ pid: process.pid, mongoUrl, redisUrl, workerIndex }));
});
await new Promise<void>((resolve, reject) => {
  server.once('error', reject);
  server.listen(isApi ? config.port : config.workerMetricsPort, config.host, resolve);
});
lifecycle.onClose('server', async () => {
  if (isApi) process.stdout.write(`${await workerState()}\n`);
  server.closeAllConnections();
  server.close();
});
lifecycle.announceReady({});

/** Whether the first worker still runs. */
function workerState(): Promise<string> {
  return fetch(`http://${config.host}:${config.metricsPort + 1}/`).then(
    () => 'The api stops before the workers.',
    () => 'The workers stopped before the api.',
  );
}
