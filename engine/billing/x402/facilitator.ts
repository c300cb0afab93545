import { HTTPFacilitatorClient } from '@x402/core/http';
import { type PaymentPayload, type PaymentRequirements, SettleError, VerifyError } from '@x402/core/types';
import {
  BrokenCircuitError,
  BulkheadRejectedError,
  bulkhead,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  wrap,
} from 'cockatiel';
import {
  CONTRACT_CALLS_AT_ONCE,
  CONTRACT_CALLS_WAITING,
  FACILITATOR_BREAK_MS,
  FACILITATOR_CALLS_AT_ONCE,
  FACILITATOR_CALLS_WAITING,
  FACILITATOR_FAILURES_TO_BREAK,
  SETTLE_WITHIN_MS,
  VERIFY_WITHIN_MS,
} from './limits.ts';
import type { PaymentTerms, SignedTransfer } from './payment.ts';
import type { FacilitatorOutcome, PurchaseReport } from './report.ts';

/** Whether a payment could be settled at this moment. */
export type Verification = { readonly kind: 'valid' } | { readonly kind: 'invalid'; readonly reason: string };

/** What became of a payment. `unknown`: the money may have moved, or may yet. */
export type Settlement =
  | { readonly kind: 'settled'; readonly transaction: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** Verifies payments, and moves the money. */
export interface Facilitator {
  /**
   * `contract`: the signature was not checked here. Such calls have a separate limit, so they cannot crowd out the others.
   *
   * @throws FacilitatorUnavailable when there is no answer.
   */
  verify(payment: SignedTransfer, terms: PaymentTerms, signature: 'valid' | 'contract'): Promise<Verification>;
  /** @throws FacilitatorUnavailable when it was not asked, so that nothing can have moved. */
  settle(payment: SignedTransfer, terms: PaymentTerms): Promise<Settlement>;
}

/** The facilitator could not be asked, or could not answer: the same may work later. */
export class FacilitatorUnavailable extends Error {
  override readonly name = 'FacilitatorUnavailable';
}

/** Longest waits for an answer, in milliseconds. */
export interface FacilitatorWaits {
  readonly verifyWithinMs?: number;
  readonly settleWithinMs?: number;
}

interface FacilitatorOptions extends FacilitatorWaits {
  /** No slash at its end. */
  readonly url: string;
  readonly report: Pick<PurchaseReport, 'facilitatorCalled' | 'facilitatorBreaker'>;
}

/** What the facilitator says of a settlement whose transaction it sent and has not seen on the chain. */
const STILL_PENDING = 'settlement_pending';

/**
 * A facilitator over HTTP, with bounds: so long for an answer, so many calls at once, and after failures in a row none
 * for a while, so that one that is slow or dead costs its callers a moment and nobody else anything.
 */
export function createFacilitator(options: FacilitatorOptions): Facilitator {
  const { url, report, verifyWithinMs = VERIFY_WITHIN_MS, settleWithinMs = SETTLE_WITHIN_MS } = options;
  const verifier = new HTTPFacilitatorClient({ url, timeoutMs: verifyWithinMs });
  const settler = new HTTPFacilitatorClient({ url, timeoutMs: settleWithinMs });
  const guarded = guard(report);
  const contracts = bulkhead(CONTRACT_CALLS_AT_ONCE, CONTRACT_CALLS_WAITING);
  return {
    async verify(payment, terms, signature) {
      const ask = () => guarded('verify', () => verifier.verify(payloadOf(payment, terms), requirementsOf(terms)));
      try {
        const { isValid, invalidReason } = await (signature === 'contract' ? contracts.execute(ask) : ask());
        return isValid ? { kind: 'valid' } : { kind: 'invalid', reason: invalidReason ?? 'invalid' };
      } catch (error) {
        if (isRefusal(error)) return { kind: 'invalid', reason: reasonOf(error) };
        throw new FacilitatorUnavailable('the facilitator could not verify a payment', { cause: error });
      }
    },

    async settle(payment, terms) {
      try {
        const { success, transaction, errorReason } = await guarded('settle', () =>
          settler.settle(payloadOf(payment, terms), requirementsOf(terms)),
        );
        if (success) return { kind: 'settled', transaction };
        const reason = errorReason ?? 'refused';
        return { kind: reason === STILL_PENDING ? 'unknown' : 'refused', reason };
      } catch (error) {
        if (isRefusal(error)) return { kind: 'refused', reason: reasonOf(error) };
        if (wasNotAsked(error)) {
          throw new FacilitatorUnavailable('the facilitator was not asked to settle a payment', { cause: error });
        }
        return { kind: 'unknown', reason: error instanceof Error ? error.name : 'failed' };
      }
    },
  };
}

type Operation = Parameters<PurchaseReport['facilitatorCalled']>[0];

function guard(report: FacilitatorOptions['report']) {
  const breaker = circuitBreaker(
    handleWhen((error) => !isRefusal(error)),
    { halfOpenAfter: FACILITATOR_BREAK_MS, breaker: new ConsecutiveBreaker(FACILITATOR_FAILURES_TO_BREAK) },
  );
  breaker.onStateChange((state) => report.facilitatorBreaker(state === CircuitState.Open));
  const policy = wrap(bulkhead(FACILITATOR_CALLS_AT_ONCE, FACILITATOR_CALLS_WAITING), breaker);
  return async <T>(operation: Operation, call: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const told = (outcome: FacilitatorOutcome): void =>
      report.facilitatorCalled(operation, outcome, (performance.now() - startedAt) / 1_000);
    try {
      const answer = await policy.execute(call);
      told('answered');
      return answer;
    } catch (error) {
      told(wasNotAsked(error) ? 'broken' : isRefusal(error) ? 'refused' : 'failed');
      throw error;
    }
  };
}

function wasNotAsked(error: unknown): boolean {
  return error instanceof BrokenCircuitError || error instanceof BulkheadRejectedError;
}

/** Whether the facilitator understood, and said no with an error status. */
function isRefusal(error: unknown): error is VerifyError | SettleError {
  return (error instanceof VerifyError || error instanceof SettleError) && error.statusCode < 500;
}

function reasonOf(error: VerifyError | SettleError): string {
  return (error instanceof VerifyError ? error.invalidReason : error.errorReason) ?? 'refused';
}

function requirementsOf({
  network,
  asset,
  amount,
  payTo,
  maxTimeoutSeconds,
  domain,
}: PaymentTerms): PaymentRequirements {
  return { scheme: 'exact', network, asset, amount, payTo, maxTimeoutSeconds, extra: { ...domain } };
}

function payloadOf({ signature, authorization }: SignedTransfer, terms: PaymentTerms): PaymentPayload {
  return {
    x402Version: 2,
    accepted: requirementsOf(terms),
    payload: { signature, authorization: { ...authorization } },
  };
}
