import { Histogram, type Registry } from 'prom-client';
import { SHORT_WORK_SECONDS } from './buckets.ts';

/** Reports requests. */
export interface HttpMetrics {
  /** A request was answered. `route` is the route's own name, never what the client wrote. */
  answered(route: string, method: string, status: number, seconds: number): void;
}

export function createHttpMetrics(registry: Registry): HttpMetrics {
  const requests = new Histogram({
    name: 'upsilon_http_request_seconds',
    help: 'Time from the first byte of a request to the end of its answer',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: SHORT_WORK_SECONDS,
    registers: [registry],
  });
  return { answered: (route, method, status, seconds) => requests.observe({ route, method, status }, seconds) };
}
