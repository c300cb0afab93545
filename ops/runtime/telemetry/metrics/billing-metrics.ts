import type { Registry } from 'prom-client';
import { MS_PER_SECOND } from '../../../../config/units.ts';
import type { Logger } from '../create-logger.ts';
import { defineMetrics, SHORT_WORK_SECONDS } from './define-metrics.ts';

const CALL_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32];
const EVENT_AGE_SECONDS = [1, 2, 5, 10, 30, 60, 300, 1_800, 7_200, 86_400];

/** Metrics and log lines of calls to Stripe, its webhooks and their outcomes. Every string comes from a small closed set. */
export function createBillingMetrics(registry: Registry, clock: () => number, log: Pick<Logger, 'warn'>) {
  const { counter, gauge, histogram, fadingGauge } = defineMetrics(registry);
  const calls = histogram(
    'upsilon_stripe_call_seconds',
    'Duration of a call to Stripe, including retries',
    CALL_SECONDS,
    'operation',
    'outcome',
  );
  const breaker = gauge('upsilon_stripe_breaker_open', '1 while calls to Stripe are blocked after failures');
  const webhooks = counter('upsilon_stripe_webhooks_total', 'Webhooks by outcome', 'outcome');
  // Created with 0: `increase()` does not see the first count of a new series.
  webhooks.inc({ outcome: 'forged' }, 0);
  const eventAge = histogram(
    'upsilon_stripe_event_age_seconds',
    'Age of a Stripe event when it was applied',
    EVENT_AGE_SECONDS,
    'type',
  );
  const waiting = fadingGauge('upsilon_stripe_events_unapplied', 'Received Stripe events that are still being retried');
  const payments = counter('upsilon_payments_recorded_total', 'Recorded payments by kind', 'kind');
  const differences = counter(
    'upsilon_billing_differences_total',
    'Differences from Stripe that a comparison found and repaired',
    'difference',
  );
  // Created with 0: `increase()` does not see the first count of a new series.
  for (const difference of ['event_missed', 'subscription_differs']) differences.inc({ difference }, 0);
  const accounts = gauge('upsilon_billing_compared_accounts', 'Accounts in the last comparison with Stripe');
  const last = gauge('upsilon_billing_compared_timestamp_seconds', 'When the last comparison with Stripe ended');
  return {
    stripeCalled: (operation: string, outcome: string, seconds: number) =>
      calls.observe({ operation, outcome }, seconds),
    stripeBreaker(open: boolean) {
      breaker.set(open ? 1 : 0);
      log.warn(open ? 'Stripe does not respond: calls are suspended' : 'calls to Stripe are resumed');
    },
    webhook: (outcome: string) => webhooks.inc({ outcome }),
    applied: (type: string, ageSeconds: number) => eventAge.observe({ type }, ageSeconds),
    /** Received events that have been retried for a while, as counted by this process. */
    unapplied: (events: number) => waiting.set(events),
    recorded: (kind: string) => payments.inc({ kind }),
    differs(difference: string, count: number) {
      differences.inc({ difference }, count);
      if (count > 0) log.warn({ difference, count }, 'stored billing differed from Stripe and was repaired');
    },
    compared(count: number) {
      accounts.set(count);
      last.set(clock() / MS_PER_SECOND);
    },
  };
}

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
