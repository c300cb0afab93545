import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { LIMITS } from '../../../config/limits.ts';
import { closeServer, createSupervisedHttp, type HttpTimes } from '../connections/index.ts';

interface MetricsServerOptions {
  readonly registry: Pick<Registry, 'contentType' | 'metrics'>;
  readonly host: string;
  readonly port: number;
  readonly times?: HttpTimes;
}

/**
 * Serves `GET /metrics` in the Prometheus text format, on a separate port that must not be public.
 *
 * @throws the listener's error, such as EADDRINUSE.
 */
export async function createMetricsServer({ registry, host, port, times }: MetricsServerOptions) {
  const { server } = createSupervisedHttp((request, response) => void answer(registry, request, response), {
    maxConnections: LIMITS.connections.ofConsole,
    ...(times === undefined ? {} : { times }),
  });
  server.listen({ host, port });
  await once(server, 'listening');
  const address = server.address();
  // The port in use: an ephemeral one if 0 was requested.
  const used = typeof address === 'object' && address !== null ? address.port : port;
  return { port: used, close: () => closeServer(server) };
}

async function answer(
  registry: MetricsServerOptions['registry'],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const status = refusal(request);
  if (status !== null) {
    response.writeHead(status, status === 405 ? { allow: 'GET, HEAD' } : {}).end();
    return;
  }
  try {
    const text = await registry.metrics();
    response.writeHead(200, { 'content-type': registry.contentType }).end(text);
  } catch {
    response.writeHead(500).end();
  }
}

function refusal(request: IncomingMessage): number | null {
  if (request.url?.split('?', 1)[0] !== '/metrics') return 404;
  return request.method === 'GET' || request.method === 'HEAD' ? null : 405;
}
