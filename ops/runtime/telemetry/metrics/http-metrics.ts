import type { Registry } from 'prom-client';
import type { CloseReason } from '../../connections/index.ts';
import { defineMetrics, SHORT_WORK_SECONDS } from './define-metrics.ts';
import { DenseHistogram } from './dense-histogram.ts';

export type HttpMetrics = ReturnType<typeof createHttpMetrics>;

export function createHttpMetrics(registry: Registry) {
  const requests = new DenseHistogram({
    name: 'upsilon_http_request_seconds',
    help: 'Time from the first byte of a request to the end of its response',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: SHORT_WORK_SECONDS,
    registers: [registry],
  });
  const { counter } = defineMetrics(registry);
  const refused = counter(
    'upsilon_http_problems_total',
    'Requests that a route refused, by the code of the problem',
    'code',
  );
  // Created with 0: an alert uses `increase()`, which does not see the first count of a new series.
  refused.inc({ code: 'backlog_full' }, 0);
  const closed = counter(
    'upsilon_http_connections_closed_total',
    'Connections closed because of a limit, or by the client before the response',
    'reason',
  );
  type ByStatus = Map<number, ReturnType<typeof requests.series>>;
  const known = new Map<string, Map<string, ByStatus>>();
  const add = (route: string, method: string, status: number) => {
    const byMethod = known.get(route) ?? new Map<string, ByStatus>();
    const byStatus: ByStatus = byMethod.get(method) ?? new Map();
    const series = requests.series({ route, method, status });
    known.set(route, byMethod.set(method, byStatus.set(status, series)));
    return series;
  };
  return {
    /** A request was answered. `route` is the route's pattern, never the requested path. */
    answered(route: string, method: string, status: number, seconds: number) {
      const series = known.get(route)?.get(method)?.get(status) ?? add(route, method, status);
      series.observe(seconds);
    },
    /** A route refused a request. `code` is that of the problem. */
    refused: (code: string) => refused.inc({ code }),
    /** A connection was closed because of a limit, or by its client before the request was answered. */
    connectionClosed: (reason: CloseReason) => closed.inc({ reason }),
  };
}
