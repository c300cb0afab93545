import type { ServiceConfig } from '../../config/config.ts';
import type { Billing, CardBilling } from '../../engine/billing/index.ts';
import type { Connection } from '../../engine/mongo/index.ts';
import type { Clock } from '../../engine/ranking/index.ts';
import type { Lifecycle } from '../../ops/runtime/lifecycle/index.ts';
import {
  createBillingMetrics,
  type Logger,
  type Registry,
  type ThrottledLog,
} from '../../ops/runtime/telemetry/index.ts';
import { enqueueBillingEvent, openBilling, openSubscription, planChannel, type Queues } from '../../workers/index.ts';
import type { ApiPorts } from '../ports.ts';
import { createPlans, type Plans } from './create-plans.ts';

export interface OpenApiBillingOptions {
  readonly connection: Connection;
  readonly config: ServiceConfig;
  readonly clock: Clock;
  readonly registry: Registry;
  readonly queues: Pick<Queues, 'billing'>;
  readonly redis: { publish(channel: string, message: string): Promise<unknown> };
  readonly prefix: string;
  readonly lifecycle: Lifecycle;
  readonly log: Logger;
  readonly logThrottled: ThrottledLog;
}

/** Billing as an api process has it. */
export interface OpenedBilling extends Pick<ApiPorts, 'billing' | 'entitled'> {
  /** What is kept about an account, to be shown to it and to be forgotten. */
  readonly records: Pick<Billing, 'forget' | 'payments' | 'subscriptionsOf'>;
}

/** Opens billing for an api process, and says so where nobody can subscribe. */
export async function openApiBilling(options: OpenApiBillingOptions): Promise<OpenedBilling> {
  const { config, clock, registry, queues, log, logThrottled } = options;
  const billing = openBilling({ ...options, metrics: createBillingMetrics(registry, clock) });
  await billing.ensureIndexes();
  const plans = createPlans(billing, clock);
  followPlans(options, plans);
  logPaymentConfig(config, log);
  return {
    billing: {
      standing: plans.standing,
      nameOf: plans.nameOf,
      card: billing.card === null ? null : readingAnew(billing.card, plans),
      enqueue: (event) => enqueueBillingEvent(queues, event).catch(logThrottled),
    },
    entitled: plans.entitled,
    records: { forget: billing.forget, payments: billing.payments, subscriptionsOf: billing.subscriptionsOf },
  };
}

/**
 * Who asks Stripe sees what it says at once: that another process had written it already, this one may not have heard yet.
 */
function readingAnew(card: CardBilling, plans: Plans): CardBilling {
  const forgetting =
    <Request, Answer>(ask: (request: Request) => Promise<Answer>, operatorOf: (request: Request) => number) =>
    async (request: Request): Promise<Answer> => {
      try {
        return await ask(request);
      } finally {
        // Also when Stripe did not answer: a webhook may have told another process meanwhile.
        plans.changed(operatorOf(request));
      }
    };
  return {
    ...card,
    refresh: forgetting(card.refresh, (operator) => operator),
    subscribe: forgetting(card.subscribe, ({ operator }) => operator),
  };
}

/** Lets every change of a plan, whichever process made it, be known here at once. */
function followPlans({ config, lifecycle, prefix, logThrottled }: OpenApiBillingOptions, plans: Plans): void {
  const hints = openSubscription({
    redisUrl: config.redisUrl,
    channel: planChannel(prefix),
    onMessage: (operator) => plans.changed(Number(operator)),
    onError: logThrottled,
  });
  lifecycle.onClose('plan hints', () => hints.close());
}

function logPaymentConfig({ billing, enforcePlan }: ServiceConfig, log: Pick<Logger, 'info' | 'warn'>): void {
  if (billing.stripe !== null) return;
  const text = 'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET are not set: nobody can subscribe';
  if (enforcePlan) log.warn(`${text}, and ENFORCE_PLAN lets only those submit who were given a plan`);
  else log.info(text);
}
