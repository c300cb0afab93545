import { PricesNotSetUpError, StripeUnavailableError } from '../../engine/billing/index.ts';
import { Problem } from '../http/problem.ts';

/** Runs what asks Stripe; that it cannot be asked, or is not set up, is a problem with a code of its own. */
export async function fromStripe<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof StripeUnavailableError) throw new Problem('payment_provider_unavailable', { cause });
    if (cause instanceof PricesNotSetUpError) throw new Problem('billing_not_configured', { cause });
    throw cause;
  }
}

/** What is said where no payment provider is set up. */
export function notConfigured(): Problem {
  return new Problem('billing_not_configured', {
    detail: 'This service has no payment provider: nobody can subscribe.',
  });
}
