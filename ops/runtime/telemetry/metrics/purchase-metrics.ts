import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { SHORT_WORK_SECONDS } from './buckets.ts';
import { createFadingGauge } from './fading-gauge.ts';

/** Reports requests that are paid for individually. */
export interface PurchaseMetrics {
  facilitatorCalled(operation: string, outcome: string, seconds: number): void;
  facilitatorBreaker(open: boolean): void;
  /** A request that presented a payment ended. */
  purchased(end: string): void;
  /** Purchases whose settlement is unknown, as counted by this process. */
  unresolved(purchases: number): void;
}

export function createPurchaseMetrics(registry: Registry): PurchaseMetrics {
  const registers = [registry];
  const calls = new Histogram({
    name: 'upsilon_facilitator_call_seconds',
    help: 'Duration of a call to the facilitator that verifies and settles stablecoin payments',
    labelNames: ['operation', 'outcome'] as const,
    buckets: SHORT_WORK_SECONDS,
    registers,
  });
  const breaker = new Gauge({
    name: 'upsilon_facilitator_breaker_open',
    help: '1 while calls to the facilitator are blocked after failures',
    registers,
  });
  const ends = new Counter({
    name: 'upsilon_purchases_total',
    help: 'Requests that presented a stablecoin payment, by outcome',
    labelNames: ['end'] as const,
    registers,
  });
  const name = 'upsilon_purchases_unresolved';
  const unresolved = createFadingGauge(name, 'Stablecoin payments whose settlement is unknown', registry);
  return {
    facilitatorCalled: (operation, outcome, seconds) => calls.observe({ operation, outcome }, seconds),
    facilitatorBreaker: (open) => breaker.set(open ? 1 : 0),
    purchased: (end) => ends.inc({ end }),
    unresolved: (purchases) => unresolved.set(purchases),
  };
}
