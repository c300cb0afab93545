import {
  BrokenCircuitError,
  BulkheadRejectedError,
  bulkhead,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  noop,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel';
import { CALL_BREAK_MS, CALL_FAILURES_TO_BREAK } from './limits.ts';
import type { CallOutcome } from './report.ts';

export interface GuardOptions<Operation extends string> {
  /** Calls of one process: concurrent, and queued. */
  readonly maxConcurrent: number;
  readonly maxQueued: number;
  /** Timeout of a call including its time in the queue, in milliseconds. */
  readonly timeoutMs?: number;
  /** Whether an error means that the service is unreachable, failing or overloaded, as opposed to a refusal. */
  readonly isFault: (error: unknown) => boolean;
  readonly breakerChanged: (open: boolean) => void;
  readonly called: (operation: Operation, outcome: CallOutcome, seconds: number) => void;
}

/** Makes a call; `operation` is a metric label from a small closed set. */
export type GuardedCall<Operation extends string = string> = <T>(
  operation: Operation,
  run: () => Promise<T>,
) => Promise<T>;

/**
 * Bounds calls to a payment service by concurrency, time and a circuit breaker, so that a slow or dead service delays its callers
 * briefly and nothing else. Throws the errors of the calls; of those that were not sent, the errors for which `wasNotSent` holds.
 */
export function guardCalls<Operation extends string>(options: GuardOptions<Operation>): GuardedCall<Operation> {
  const { maxConcurrent, maxQueued, timeoutMs, isFault, breakerChanged, called } = options;
  const breaker = circuitBreaker(handleWhen(isFault), {
    halfOpenAfter: CALL_BREAK_MS,
    breaker: new ConsecutiveBreaker(CALL_FAILURES_TO_BREAK),
  });
  breaker.onStateChange((state) => breakerChanged(state === CircuitState.Open));
  const totalTimeout = timeoutMs === undefined ? noop : timeout(timeoutMs, TimeoutStrategy.Aggressive);
  // The timeout is outermost, so that it includes the time in the queue.
  const policy = wrap(totalTimeout, bulkhead(maxConcurrent, maxQueued), breaker);
  return async (operation, run) => {
    const startedAt = performance.now();
    const report = (outcome: CallOutcome): void => called(operation, outcome, (performance.now() - startedAt) / 1_000);
    try {
      const result = await policy.execute(run);
      report('answered');
      return result;
    } catch (error) {
      report(outcomeOf(error, isFault));
      throw error;
    }
  };
}

export function outcomeOf(error: unknown, isFault: (error: unknown) => boolean): Exclude<CallOutcome, 'answered'> {
  if (wasNotSent(error)) return 'broken';
  return isFault(error) ? 'failed' : 'refused';
}

export function wasNotSent(error: unknown): boolean {
  return error instanceof BrokenCircuitError || error instanceof BulkheadRejectedError;
}
