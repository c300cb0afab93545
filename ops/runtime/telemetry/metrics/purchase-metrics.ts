import type { Registry } from 'prom-client';
import { defineMetrics, SHORT_WORK_SECONDS } from './define-metrics.ts';

/** Metrics of requests that are paid for individually. */
export function createPurchaseMetrics(registry: Registry) {
  const { counter, gauge, histogram, fadingGauge } = defineMetrics(registry);
  const calls = histogram(
    'upsilon_facilitator_call_seconds',
    'Duration of a call to the facilitator that verifies and settles stablecoin payments',
    SHORT_WORK_SECONDS,
    'operation',
    'outcome',
  );
  const breaker = gauge(
    'upsilon_facilitator_breaker_open',
    '1 while calls to the facilitator are blocked after failures',
  );
  const ends = counter('upsilon_purchases_total', 'Requests that presented a stablecoin payment, by outcome', 'end');
  const unresolved = fadingGauge('upsilon_purchases_unresolved', 'Stablecoin payments whose settlement is unknown');
  return {
    facilitatorCalled: (operation: string, outcome: string, seconds: number) =>
      calls.observe({ operation, outcome }, seconds),
    facilitatorBreaker: (open: boolean) => breaker.set(open ? 1 : 0),
    purchased: (end: string) => ends.inc({ end }),
    unresolved: (purchases: number) => unresolved.set(purchases),
  };
}
