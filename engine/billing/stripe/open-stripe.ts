import { createRequire } from 'node:module';
import type { Stripe } from 'stripe';
import type { StripeConfig } from '../../../config/billing.ts';
import { type GuardedCall, guardCalls, outcomeOf } from '../guard-calls.ts';
import {
  MAX_CONCURRENT_STRIPE_CALLS,
  MAX_QUEUED_STRIPE_CALLS,
  STRIPE_CALL_RETRIES,
  STRIPE_CALL_TIMEOUT_MS,
  STRIPE_TOTAL_TIMEOUT_MS,
} from '../limits.ts';
import type { BillingReport } from '../report.ts';
import { isStripeFault, StripeUnavailableError } from './stripe-error.ts';

/** Stripe's client, loaded here because few installations use it. A test server differs from Stripe only by URL and key. */
export function openStripe(
  { secretKey, apiUrl }: Pick<StripeConfig, 'secretKey' | 'apiUrl'>,
  callTimeoutMs: number = STRIPE_CALL_TIMEOUT_MS,
): Stripe {
  const { protocol, hostname, port } = new URL(apiUrl);
  const Client: typeof Stripe = createRequire(import.meta.url)('stripe');
  return new Client(secretKey, {
    host: hostname,
    ...(port === '' ? {} : { port }),
    protocol: protocol === 'http:' ? 'http' : 'https',
    timeout: callTimeoutMs,
    maxNetworkRetries: STRIPE_CALL_RETRIES,
    telemetry: false,
  });
}

/** Bounds calls to Stripe. They throw StripeUnavailableError when Stripe is not reachable or fails, and Stripe's error when it refuses. */
export function guardStripe(report: BillingReport | null): GuardedCall {
  const guarded = guardCalls<string>({
    maxConcurrent: MAX_CONCURRENT_STRIPE_CALLS,
    maxQueued: MAX_QUEUED_STRIPE_CALLS,
    timeoutMs: STRIPE_TOTAL_TIMEOUT_MS,
    isFault: isStripeFault,
    breakerChanged: (open) => report?.stripeBreaker(open),
    called: (...call) => report?.stripeCalled(...call),
  });
  return async (operation, run) => {
    try {
      return await guarded(operation, run);
    } catch (error) {
      if (outcomeOf(error, isStripeFault) === 'refused') throw error;
      throw new StripeUnavailableError(`Stripe is unavailable for ${operation}`, { cause: error });
    }
  };
}
