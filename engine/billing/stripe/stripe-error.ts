import { Stripe } from 'stripe';

/** Stripe is not reachable or fails: a retry may succeed later. */
export class StripeUnavailableError extends Error {
  override readonly name = 'StripeUnavailableError';
}

/** Whether an error means that Stripe is unreachable, failing or overloaded, as opposed to a refusal. */
export function isStripeFault(error: unknown): boolean {
  if (error instanceof Stripe.errors.StripeConnectionError || error instanceof Stripe.errors.StripeAPIError)
    return true;
  if (error instanceof Stripe.errors.StripeRateLimitError) return true;
  return error instanceof Stripe.errors.StripeError ? (error.statusCode ?? 500) >= 500 : true;
}

/** Whether Stripe says that there is no such object. */
export function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === 'resource_missing';
}

/** Runs a call to Stripe; null when Stripe says that there is no such object. */
export async function orMissing<T>(run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
