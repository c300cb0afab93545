import { BrokenCircuitError, BulkheadRejectedError } from 'cockatiel';
import { Stripe } from 'stripe';

/** Stripe could not be asked, or could not answer: the same may work later. */
export class StripeUnavailable extends Error {
  override readonly name = 'StripeUnavailable';
}

/** How a call to Stripe ended. `refused`: Stripe understood, and said no. `broken`: it was not asked, after failures. */
export type StripeOutcome = 'answered' | 'refused' | 'failed' | 'broken';

/** Whether an error says that Stripe is out of reach, out of order or too busy, as opposed to having said no. */
export function isStripeFault(error: unknown): boolean {
  if (error instanceof Stripe.errors.StripeConnectionError || error instanceof Stripe.errors.StripeAPIError)
    return true;
  if (error instanceof Stripe.errors.StripeRateLimitError) return true;
  return error instanceof Stripe.errors.StripeError ? (error.statusCode ?? 500) >= 500 : true;
}

export function outcomeOf(error: unknown): Exclude<StripeOutcome, 'answered'> {
  if (error instanceof BrokenCircuitError || error instanceof BulkheadRejectedError) return 'broken';
  return isStripeFault(error) ? 'failed' : 'refused';
}

/** Whether Stripe says that there is no such object. */
export function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === 'resource_missing';
}
