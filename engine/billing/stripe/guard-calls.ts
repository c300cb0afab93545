import {
  bulkhead,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel';
import {
  STRIPE_BREAK_MS,
  STRIPE_CALLS_AT_ONCE,
  STRIPE_CALLS_WAITING,
  STRIPE_FAILURES_TO_BREAK,
  STRIPE_WAIT_MS,
} from '../limits.ts';
import type { BillingReport } from '../report.ts';
import { isStripeFault, outcomeOf, StripeUnavailable } from './stripe-error.ts';

/** Makes a call to Stripe; `operation` is a name of a small closed set. */
export type StripeCall = <T>(operation: string, run: () => Promise<T>) => Promise<T>;

/**
 * Calls to Stripe with bounds: so many at once, and after failures in a row none for a while, so that a Stripe that is
 * slow or dead costs its callers a moment and nobody else anything.
 *
 * Calls throw StripeUnavailable when Stripe could not be asked or could not answer, and its own error when it said no.
 */
export function guardCalls(report: Pick<BillingReport, 'stripeCalled' | 'stripeBreaker'>): StripeCall {
  const breaker = circuitBreaker(handleWhen(isStripeFault), {
    halfOpenAfter: STRIPE_BREAK_MS,
    breaker: new ConsecutiveBreaker(STRIPE_FAILURES_TO_BREAK),
  });
  breaker.onStateChange((state) => report.stripeBreaker(state === CircuitState.Open));
  // Outermost: whoever got his turn only after others had waited in vain does not wait as long once more.
  const patience = timeout(STRIPE_WAIT_MS, TimeoutStrategy.Aggressive);
  const policy = wrap(patience, bulkhead(STRIPE_CALLS_AT_ONCE, STRIPE_CALLS_WAITING), breaker);
  return async (operation, run) => {
    const startedAt = performance.now();
    const told = (outcome: Parameters<BillingReport['stripeCalled']>[1]): void =>
      report.stripeCalled(operation, outcome, (performance.now() - startedAt) / 1_000);
    try {
      const answer = await policy.execute(run);
      told('answered');
      return answer;
    } catch (error) {
      const outcome = outcomeOf(error);
      told(outcome);
      if (outcome === 'refused') throw error;
      throw new StripeUnavailable(`Stripe could not be asked for ${operation}`, { cause: error });
    }
  };
}
