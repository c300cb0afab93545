import type { Registry } from 'prom-client';
import type { CloseReason } from '../../connections/index.ts';
import { defineMetrics, SHORT_WORK_SECONDS } from './define-metrics.ts';

export type HttpMetrics = ReturnType<typeof createHttpMetrics>;

export function createHttpMetrics(registry: Registry) {
  const { counter, gauge, histogram } = defineMetrics(registry);
  const requests = histogram(
    'upsilon_http_request_seconds',
    'Time from the first byte of a request to the end of its response',
    SHORT_WORK_SECONDS,
    'route',
    'method',
    'status',
  );
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
  const subscriptions = gauge('upsilon_event_subscriptions', 'Open subscriptions to events of boards');
  return {
    /** A request was answered. `route` is the route's pattern, never the requested path. */
    answered: (route: string, method: string, status: number, seconds: number) =>
      requests.observe({ route, method, status }, seconds),
    /** A route refused a request. `code` is that of the problem. */
    refused: (code: string) => refused.inc({ code }),
    /** A connection was closed because of a limit, or by its client before the request was answered. */
    connectionClosed: (reason: CloseReason) => closed.inc({ reason }),
    subscriptionsOpen: (count: number) => subscriptions.set(count),
  };
}
