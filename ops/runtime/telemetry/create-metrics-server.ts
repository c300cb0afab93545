import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { LIMITS } from '../../../config/limits.ts';
import { closeServer, createSupervisedHttp, type HttpTimes, listenOn } from '../connections/index.ts';

interface MetricsServerOptions {
  readonly registry: Pick<Registry, 'contentType' | 'metrics'>;
  readonly host: string;
  readonly port: number;
  /** Whether the process does its work: what `GET /health/ready` says. Without it, there are no probes. */
  readonly isReady?: (() => boolean) | undefined;
  readonly times?: HttpTimes;
}

/**
 * Serves `GET /metrics` in the Prometheus text format, and the probes `/health/live` and `/health/ready`, on a separate port that must
 * not be public. @throws the listener's error, such as EADDRINUSE.
 */
export async function createMetricsServer({ registry, host, port, isReady, times }: MetricsServerOptions) {
  const { server } = createSupervisedHttp(
    (request, response) => void answer({ registry, isReady }, request, response),
    {
      maxConnections: LIMITS.connections.ofConsole,
      ...(times === undefined ? {} : { times }),
    },
  );
  return { port: await listenOn(server, { host, port }), close: () => closeServer(server) };
}

async function answer(
  { registry, isReady }: Pick<MetricsServerOptions, 'registry' | 'isReady'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url?.split('?', 1)[0];
  const isProbe = isReady !== undefined && (path === '/health/live' || path === '/health/ready');
  if (path !== '/metrics' && !isProbe) return void response.writeHead(404).end();
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
  }
  if (isProbe) return void response.writeHead(path === '/health/live' || isReady() ? 200 : 503).end();
  try {
    const text = await registry.metrics();
    response.writeHead(200, { 'content-type': registry.contentType }).end(text);
  } catch {
    response.writeHead(500).end();
  }
}
