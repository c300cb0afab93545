import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Logger } from '../create-logger.ts';
import { createFadingGauge } from './fading-gauge.ts';

/** Reports calls to Stripe, its webhooks and their outcomes. Every string comes from a small closed set. */
export interface BillingMetrics {
  stripeCalled(operation: string, outcome: string, seconds: number): void;
  stripeBreaker(open: boolean): void;
  webhook(outcome: string): void;
  /** An event was applied; its age then, in seconds. */
  applied(type: string, seconds: number): void;
  /** Received events that have been retried for a while, as counted by this process. */
  unapplied(events: number): void;
  recorded(kind: string): void;
  differs(difference: string, count: number): void;
  compared(accounts: number): void;
}

const CALL_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32];
const EVENT_AGE_SECONDS = [1, 2, 5, 10, 30, 60, 300, 1_800, 7_200, 86_400];

export function createBillingMetrics(
  registry: Registry,
  clock: () => number = Date.now,
  log?: Pick<Logger, 'warn'>,
): BillingMetrics {
  const registers = [registry];
  const calls = new Histogram({
    name: 'upsilon_stripe_call_seconds',
    help: 'Duration of a call to Stripe, including retries',
    labelNames: ['operation', 'outcome'] as const,
    buckets: CALL_SECONDS,
    registers,
  });
  const breaker = new Gauge({
    name: 'upsilon_stripe_breaker_open',
    help: '1 while calls to Stripe are blocked after failures',
    registers,
  });
  const webhooks = new Counter({
    name: 'upsilon_stripe_webhooks_total',
    help: 'Webhooks by outcome',
    labelNames: ['outcome'] as const,
    registers,
  });
  // Created with 0: `increase()` does not see the first count of a new series.
  webhooks.inc({ outcome: 'forged' }, 0);
  const eventAge = new Histogram({
    name: 'upsilon_stripe_event_age_seconds',
    help: 'Age of a Stripe event when it was applied',
    labelNames: ['type'] as const,
    buckets: EVENT_AGE_SECONDS,
    registers,
  });
  const name = 'upsilon_stripe_events_unapplied';
  const waiting = createFadingGauge(name, 'Received Stripe events that are still being retried', registry);
  const payments = new Counter({
    name: 'upsilon_payments_recorded_total',
    help: 'Recorded payments by kind',
    labelNames: ['kind'] as const,
    registers,
  });
  return {
    stripeCalled: (operation, outcome, seconds) => calls.observe({ operation, outcome }, seconds),
    stripeBreaker(open) {
      breaker.set(open ? 1 : 0);
      log?.warn(open ? 'Stripe does not respond: calls are suspended' : 'calls to Stripe are resumed');
    },
    webhook: (outcome) => webhooks.inc({ outcome }),
    applied: (type, seconds) => eventAge.observe({ type }, seconds),
    unapplied: (events) => waiting.set(events),
    recorded: (kind) => payments.inc({ kind }),
    ...comparisonMetrics(registry, clock, log),
  };
}

function comparisonMetrics(
  registry: Registry,
  clock: () => number,
  log: Pick<Logger, 'warn'> | undefined,
): Pick<BillingMetrics, 'differs' | 'compared'> {
  const registers = [registry];
  const differences = new Counter({
    name: 'upsilon_billing_differences_total',
    help: 'Differences from Stripe that a comparison found and repaired',
    labelNames: ['difference'] as const,
    registers,
  });
  // Created with 0: `increase()` does not see the first count of a new series.
  for (const difference of ['event_missed', 'subscription_differs']) differences.inc({ difference }, 0);
  const accounts = new Gauge({
    name: 'upsilon_billing_compared_accounts',
    help: 'Accounts in the last comparison with Stripe',
    registers,
  });
  const last = new Gauge({
    name: 'upsilon_billing_compared_timestamp_seconds',
    help: 'When the last comparison with Stripe ended',
    registers,
  });
  return {
    differs(difference, count) {
      differences.inc({ difference }, count);
      if (count > 0) log?.warn({ difference, count }, 'stored billing differed from Stripe and was repaired');
    },
    compared(count) {
      accounts.set(count);
      last.set(clock() / 1_000);
    },
  };
}
