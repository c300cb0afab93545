import { PricesNotSetUpError, StripeUnavailableError } from '../../engine/billing/index.ts';
import { askOperators, Problem } from '../http/problem.ts';

/** Runs a call to Stripe. @throws Problem payment_provider_unavailable, billing_not_configured. */
export async function fromStripe<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof StripeUnavailableError) throw new Problem('payment_provider_unavailable', { cause });
    if (cause instanceof PricesNotSetUpError) throw new Problem('billing_not_configured', { cause });
    throw cause;
  }
}

export function notConfigured(contact: string | null): Problem {
  return new Problem('billing_not_configured', {
    detail: 'This service has no payment provider: subscriptions are not available.',
    hint: askOperators('billing_not_configured', contact),
  });
}
