import { Stripe } from 'stripe';
import type { StripeConfig } from '../../../config/billing.ts';
import { STRIPE_CALL_RETRIES, STRIPE_CALL_TIMEOUT_MS } from '../limits.ts';

/** Stripe's client. A test server differs from Stripe only by URL and key. */
export function openStripe(
  { secretKey, apiUrl }: Pick<StripeConfig, 'secretKey' | 'apiUrl'>,
  callTimeoutMs: number = STRIPE_CALL_TIMEOUT_MS,
): Stripe {
  const { protocol, hostname, port } = new URL(apiUrl);
  return new Stripe(secretKey, {
    host: hostname,
    ...(port === '' ? {} : { port }),
    protocol: protocol === 'http:' ? 'http' : 'https',
    timeout: callTimeoutMs,
    maxNetworkRetries: STRIPE_CALL_RETRIES,
    telemetry: false,
  });
}
