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
  /** Announces operators whose plan may have changed; processes that miss it find out by polling a few seconds later. */
  readonly redis: { publish(channel: string, message: string): Promise<unknown> };
  readonly prefix: string;
  readonly logThrottled: ThrottledLog;
}

/** Opens billing with metrics and announcements, for any process. */
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
        log.warn(open ? 'Stripe does not respond: calls are suspended' : 'calls to Stripe are resumed');
      },
      differs(difference, count) {
        metrics.differs(difference, count);
        if (count > 0) log.warn({ difference, count }, 'stored billing differed from Stripe and was repaired');
      },
    },
    onChange: (operator) => void redis.publish(planChannel(prefix), String(operator)).catch(logThrottled),
  });
}

/** Return addresses. With an external identity provider this service has no account pages, only the website. */
function returnsOf({ jwksUrl, loginUrl, siteUrl }: OpenBillingOptions['config']): ReturnAddresses {
  if (jwksUrl !== undefined) return { success: siteUrl, cancel: siteUrl, portal: siteUrl };
  const account = `${loginUrl}/account`;
  return { success: `${account}/subscribed`, cancel: `${account}/plan`, portal: account };
}
