import type { ServiceConfig } from '../../config/config.ts';
import { type Billing, type CardBilling, openBilling } from '../../engine/billing/index.ts';
import type { Connection } from '../../engine/mongo/index.ts';
import type { Clock } from '../../engine/ranking/index.ts';
import type { Lifecycle } from '../../ops/runtime/lifecycle.ts';
import { announcePlans, enqueueBillingEvent, planChannel, type Queues } from '../../ops/runtime/queues/index.ts';
import { openSubscription, type RedisClient } from '../../ops/runtime/stores/index.ts';
import {
  createBillingMetrics,
  type Logger,
  type Registry,
  type ThrottledLog,
} from '../../ops/runtime/telemetry/index.ts';
import { createPlans, type Plans } from './create-plans.ts';

export interface OpenApiBillingOptions {
  readonly connection: Connection;
  readonly config: ServiceConfig & { readonly redisPrefix: string };
  readonly clock: Clock;
  readonly registry: Registry;
  readonly queues: Pick<Queues, 'billing'>;
  readonly redis: Pick<RedisClient, 'publish'>;
  readonly lifecycle: Lifecycle;
  readonly log: Logger;
  readonly logThrottled: ThrottledLog;
}

/** Billing, with the plans of accounts as cached in this process. */
export interface ApiBilling extends Billing, Plans {
  /** Queues a stored event. Never rejects: supervision of billing finds an event without a job. */
  readonly enqueue: (event: string) => Promise<void>;
}

/** Opens billing for an api process, and logs when subscriptions are not configured. */
export async function openApiBilling(options: OpenApiBillingOptions): Promise<ApiBilling> {
  const { connection, config, clock, registry, queues, redis, log, logThrottled } = options;
  const report = createBillingMetrics(registry, clock, log);
  const onChange = announcePlans(redis, config.redisPrefix, logThrottled);
  const billing = await openBilling({ connection, config, clock, report, onChange });
  const plans = createPlans(billing, clock);
  followPlans(options, plans);
  logPaymentConfig(config, log);
  return {
    ...billing,
    ...plans,
    card: billing.card && invalidatingPlans(billing.card, plans),
    enqueue: (event) => enqueueBillingEvent(queues, event).catch(logThrottled),
  };
}

/** Invalidates the cached plan after each call: the message of another process's write may not have arrived yet. */
function invalidatingPlans(card: CardBilling, plans: Plans): CardBilling {
  const thenInvalidate =
    <Request, Result>(call: (request: Request) => Promise<Result>, operatorOf: (request: Request) => number) =>
    async (request: Request): Promise<Result> => {
      try {
        return await call(request);
      } finally {
        // Also when Stripe did not respond: a webhook may have changed the account in another process.
        plans.changed(operatorOf(request));
      }
    };
  return {
    ...card,
    refresh: thenInvalidate(card.refresh, (operator) => operator),
    subscribe: thenInvalidate(card.subscribe, ({ operator }) => operator),
  };
}

/** Invalidates cached plans on changes by any process. */
function followPlans({ config, lifecycle, logThrottled }: OpenApiBillingOptions, plans: Plans): void {
  const hints = openSubscription({
    redisUrl: config.redisUrl,
    channel: planChannel(config.redisPrefix),
    onMessage: (operator) => plans.changed(Number(operator)),
    onError: logThrottled,
  });
  lifecycle.onClose('plan hints', () => hints.close());
}

function logPaymentConfig({ billing, enforcePlan }: ServiceConfig, log: Pick<Logger, 'info' | 'warn'>): void {
  if (billing.stripe !== null) return;
  const text = 'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET are not set: subscriptions are not available';
  if (enforcePlan) log.warn(`${text}, and with ENFORCE_PLAN only operators with a granted plan can submit`);
  else log.info(text);
}
