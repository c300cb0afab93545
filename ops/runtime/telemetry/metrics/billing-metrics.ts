import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { createFadingGauge } from './fading-gauge.ts';

/** Reports calls to Stripe, its webhooks, and what came of them. Every text is a name of a small closed set. */
export interface BillingMetrics {
  stripeCalled(operation: string, outcome: string, seconds: number): void;
  stripeBreaker(open: boolean): void;
  webhook(outcome: string): void;
  /** An event was applied, this long after it was made. */
  applied(type: string, seconds: number): void;
  /** Events that came a while ago and are still being tried, as counted by this process. */
  unapplied(events: number): void;
  recorded(kind: string): void;
  differs(difference: string, count: number): void;
  compared(accounts: number): void;
}

const CALL_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32];
const NEWS_SECONDS = [1, 2, 5, 10, 30, 60, 300, 1_800, 7_200, 86_400];

export function createBillingMetrics(registry: Registry, clock: () => number = Date.now): BillingMetrics {
  const registers = [registry];
  const calls = new Histogram({
    name: 'upsilon_stripe_call_seconds',
    help: 'Time a call to Stripe took, repetitions included',
    labelNames: ['operation', 'outcome'] as const,
    buckets: CALL_SECONDS,
    registers,
  });
  const breaker = new Gauge({
    name: 'upsilon_stripe_breaker_open',
    help: '1 while calls to Stripe are held back after failures',
    registers,
  });
  const webhooks = new Counter({
    name: 'upsilon_stripe_webhooks_total',
    help: 'Webhooks by what became of them',
    labelNames: ['outcome'] as const,
    registers,
  });
  // There from the beginning: of a series that comes with its first count, nobody sees that it rose.
  webhooks.inc({ outcome: 'forged' }, 0);
  const news = new Histogram({
    name: 'upsilon_stripe_event_age_seconds',
    help: 'Age of an event of Stripe when it was applied',
    labelNames: ['type'] as const,
    buckets: NEWS_SECONDS,
    registers,
  });
  const name = 'upsilon_stripe_events_unapplied';
  const waiting = createFadingGauge(name, 'Events of Stripe that came a while ago and are still being tried', registry);
  const payments = new Counter({
    name: 'upsilon_payments_recorded_total',
    help: 'Records of money by kind',
    labelNames: ['kind'] as const,
    registers,
  });
  return {
    stripeCalled: (operation, outcome, seconds) => calls.observe({ operation, outcome }, seconds),
    stripeBreaker: (open) => breaker.set(open ? 1 : 0),
    webhook: (outcome) => webhooks.inc({ outcome }),
    applied: (type, seconds) => news.observe({ type }, seconds),
    unapplied: (events) => waiting.tell(events),
    recorded: (kind) => payments.inc({ kind }),
    ...comparisonMetrics(registry, clock),
  };
}

function comparisonMetrics(registry: Registry, clock: () => number): Pick<BillingMetrics, 'differs' | 'compared'> {
  const registers = [registry];
  const differences = new Counter({
    name: 'upsilon_billing_differences_total',
    help: 'What a comparison with Stripe found otherwise than we knew it, and repaired',
    labelNames: ['difference'] as const,
    registers,
  });
  // There from the beginning: of a series that comes with its first count, nobody sees that it rose.
  for (const difference of ['event_missed', 'subscription_differs']) differences.inc({ difference }, 0);
  const accounts = new Gauge({
    name: 'upsilon_billing_compared_accounts',
    help: 'Accounts that the last comparison with Stripe looked at',
    registers,
  });
  const last = new Gauge({
    name: 'upsilon_billing_compared_timestamp_seconds',
    help: 'When the last comparison with Stripe came to its end',
    registers,
  });
  return {
    differs: (difference, count) => differences.inc({ difference }, count),
    compared(count) {
      accounts.set(count);
      last.set(clock() / 1_000);
    },
  };
}
