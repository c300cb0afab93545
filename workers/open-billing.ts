import type { ServiceConfig } from '../config/config.ts';
import { type Billing, createBilling, type ReturnAddresses } from '../engine/billing/index.ts';
import type { Connection } from '../engine/mongo/index.ts';
import type { BillingMetrics, Logger, ThrottledLog } from '../ops/runtime/telemetry/index.ts';
import { planChannel } from './catalog.ts';

export interface OpenBillingOptions {
  readonly connection: Connection;
  readonly config: Pick<ServiceConfig, 'billing' | 'loginUrl' | 'siteUrl' | 'jwksUrl'>;
  readonly clock: () => number;
  readonly metrics: BillingMetrics;
  readonly log: Pick<Logger, 'warn'>;
  /** Announces whose plan may have changed; what is not heard is found by looking a few seconds later. */
  readonly redis: { publish(channel: string, message: string): Promise<unknown> };
  readonly prefix: string;
  readonly logThrottled: ThrottledLog;
}

/** Billing as every process of the service has it. */
export function openBilling(options: OpenBillingOptions): Billing {
  const { connection, config, clock, metrics, log, redis, prefix, logThrottled } = options;
  return createBilling({
    connection,
    clock,
    card: { config: config.billing, returns: returnsOf(config) },
    report: {
      ...metrics,
      stripeBreaker(open) {
        metrics.stripeBreaker(open);
        log.warn(open ? 'Stripe does not answer: calls are held back' : 'Stripe is asked again');
      },
      differs(difference, count) {
        metrics.differs(difference, count);
        if (count > 0) log.warn({ difference, count }, 'Stripe knew otherwise; it was repaired');
      },
    },
    onChange: (operator) => void redis.publish(planChannel(prefix), String(operator)).catch(logThrottled),
  });
}

/** An outside identity provider's people have no pages of ours to come back to but the website. */
function returnsOf({ jwksUrl, loginUrl, siteUrl }: OpenBillingOptions['config']): ReturnAddresses {
  if (jwksUrl !== undefined) return { success: siteUrl, cancel: siteUrl, portal: siteUrl };
  const account = `${loginUrl}/account`;
  return { success: `${account}/subscribed`, cancel: `${account}/plan`, portal: account };
}
