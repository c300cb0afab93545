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
  MAX_CONCURRENT_STRIPE_CALLS,
  MAX_QUEUED_STRIPE_CALLS,
  STRIPE_BREAK_MS,
  STRIPE_FAILURES_TO_BREAK,
  STRIPE_TOTAL_TIMEOUT_MS,
} from '../limits.ts';
import type { BillingReport } from '../report.ts';
import { isStripeFault, outcomeOf, StripeUnavailableError } from './stripe-error.ts';

/** Makes a call to Stripe; `operation` is a metric label from a small closed set. */
export type StripeCall = <T>(operation: string, run: () => Promise<T>) => Promise<T>;

/**
 * Bounds calls to Stripe by concurrency, time and a circuit breaker, so that a slow or dead Stripe delays its callers briefly
 * and nothing else.
 *
 * Calls throw StripeUnavailableError when Stripe is not reachable or fails, and Stripe's error when it refuses.
 */
export function guardCalls(report: Pick<BillingReport, 'stripeCalled' | 'stripeBreaker'>): StripeCall {
  const breaker = circuitBreaker(handleWhen(isStripeFault), {
    halfOpenAfter: STRIPE_BREAK_MS,
    breaker: new ConsecutiveBreaker(STRIPE_FAILURES_TO_BREAK),
  });
  breaker.onStateChange((state) => report.stripeBreaker(state === CircuitState.Open));
  // Outermost: the timeout includes the time in the queue.
  const totalTimeout = timeout(STRIPE_TOTAL_TIMEOUT_MS, TimeoutStrategy.Aggressive);
  const policy = wrap(totalTimeout, bulkhead(MAX_CONCURRENT_STRIPE_CALLS, MAX_QUEUED_STRIPE_CALLS), breaker);
  return async (operation, run) => {
    const startedAt = performance.now();
    const reportOutcome = (outcome: Parameters<BillingReport['stripeCalled']>[1]): void =>
      report.stripeCalled(operation, outcome, (performance.now() - startedAt) / 1_000);
    try {
      const result = await policy.execute(run);
      reportOutcome('answered');
      return result;
    } catch (error) {
      const outcome = outcomeOf(error);
      reportOutcome(outcome);
      if (outcome === 'refused') throw error;
      throw new StripeUnavailableError(`Stripe is unavailable for ${operation}`, { cause: error });
    }
  };
}
