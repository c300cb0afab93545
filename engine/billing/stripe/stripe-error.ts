import type { Stripe } from 'stripe';

/** Stripe is not reachable or fails: a retry may succeed later. */
export class StripeUnavailableError extends Error {
  override readonly name = 'StripeUnavailableError';
}

/** Errors of Stripe's client that mean that Stripe is unreachable, failing or overloaded. */
const FAULTS: ReadonlySet<string> = new Set(['StripeConnectionError', 'StripeAPIError', 'StripeRateLimitError']);
const FIRST_FAULT_STATUS = 500;

/** Whether an error means that Stripe is unreachable, failing or overloaded, as opposed to a refusal. */
export function isStripeFault(error: unknown): boolean {
  if (!isOfStripe(error) || FAULTS.has(error.type)) return true;
  return (error.statusCode ?? FIRST_FAULT_STATUS) >= FIRST_FAULT_STATUS;
}

/** Whether Stripe says that there is no such object. */
export function isMissing(error: unknown): boolean {
  return isOfStripe(error) && error.code === 'resource_missing';
}

/** Told by the type that Stripe's client gives its errors, since it is not loaded without Stripe. */
function isOfStripe(error: unknown): error is Stripe.errors.StripeError {
  return error instanceof Error && 'type' in error && String(error.type).startsWith('Stripe');
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
