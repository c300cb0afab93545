import { HTTPFacilitatorClient } from '@x402/core/http';
import { type PaymentPayload, type PaymentRequirements, SettleError, VerifyError } from '@x402/core/types';
import { bulkhead } from 'cockatiel';
import { guardCalls, wasNotSent } from '../guard-calls.ts';
import type { PurchaseReport } from '../report.ts';
import type { PaymentTerms, SignedTransfer } from '../types.ts';
import {
  MAX_CONCURRENT_CONTRACT_CALLS,
  MAX_CONCURRENT_FACILITATOR_CALLS,
  MAX_QUEUED_CONTRACT_CALLS,
  MAX_QUEUED_FACILITATOR_CALLS,
  SETTLE_TIMEOUT_MS,
  VERIFY_TIMEOUT_MS,
} from './limits.ts';

/** Verifies and settles payments. */
export type Facilitator = ReturnType<typeof createFacilitator>;

/** Timeouts, in milliseconds. */
export interface FacilitatorTimeouts {
  readonly verifyTimeoutMs?: number;
  readonly settleTimeoutMs?: number;
}

interface FacilitatorOptions extends FacilitatorTimeouts {
  /** Without a trailing slash. */
  readonly url: string;
  readonly report: Partial<PurchaseReport>;
}

/** The facilitator's reason for a settlement whose transaction it sent and has not seen on the chain. */
const STILL_PENDING = 'settlement_pending';

/** Calls are bounded by time, concurrency and a circuit breaker: a dead facilitator delays its callers only briefly. */
export function createFacilitator(options: FacilitatorOptions) {
  const { url, report, verifyTimeoutMs = VERIFY_TIMEOUT_MS, settleTimeoutMs = SETTLE_TIMEOUT_MS } = options;
  const verifier = new HTTPFacilitatorClient({ url, timeoutMs: verifyTimeoutMs });
  const settler = new HTTPFacilitatorClient({ url, timeoutMs: settleTimeoutMs });
  const guarded = guardCalls<'verify' | 'settle'>({
    maxConcurrent: MAX_CONCURRENT_FACILITATOR_CALLS,
    maxQueued: MAX_QUEUED_FACILITATOR_CALLS,
    isFault: (error) => !isRefusal(error),
    breakerChanged: (open) => report.facilitatorBreaker?.(open),
    called: (...call) => report.facilitatorCalled?.(...call),
  });
  const contracts = bulkhead(MAX_CONCURRENT_CONTRACT_CALLS, MAX_QUEUED_CONTRACT_CALLS);
  return {
    /**
     * Whether a payment could be settled now. Null when the facilitator does not respond. `contract`: the signature was not checked here. Such calls have a separate
     * limit, so they cannot crowd out the others.
     */
    async verify(payment: SignedTransfer, terms: PaymentTerms, signature: 'valid' | 'contract') {
      const send = () => guarded('verify', () => verifier.verify(payloadOf(payment, terms), requirementsOf(terms)));
      try {
        const { isValid, invalidReason } = await (signature === 'contract' ? contracts.execute(send) : send());
        if (isValid) return { kind: 'valid' } as const;
        return { kind: 'invalid', reason: invalidReason ?? 'invalid' } as const;
      } catch (error) {
        return isRefusal(error) ? ({ kind: 'invalid', reason: reasonOf(error) } as const) : null;
      }
    },

    /** Null when the call was not sent, so no money can have moved. `unknown`: it may have moved, or may still move. */
    async settle(payment: SignedTransfer, terms: PaymentTerms) {
      try {
        const { success, transaction, errorReason } = await guarded('settle', () =>
          settler.settle(payloadOf(payment, terms), requirementsOf(terms)),
        );
        if (success) return { kind: 'settled', transaction } as const;
        const reason = errorReason ?? 'refused';
        return { kind: reason === STILL_PENDING ? 'unknown' : 'refused', reason } as const;
      } catch (error) {
        if (isRefusal(error)) return { kind: 'refused', reason: reasonOf(error) } as const;
        if (wasNotSent(error)) return null;
        return { kind: 'unknown', reason: error instanceof Error ? error.name : 'failed' } as const;
      }
    },
  };
}

/** Whether the facilitator refused with an error status. */
function isRefusal(error: unknown): error is VerifyError | SettleError {
  return (error instanceof VerifyError || error instanceof SettleError) && error.statusCode < 500;
}

function reasonOf(error: VerifyError | SettleError): string {
  return (error instanceof VerifyError ? error.invalidReason : error.errorReason) ?? 'refused';
}

/** The requirements of a payment in x402 version 2. */
export function requirementsOf(terms: PaymentTerms): PaymentRequirements {
  const { network, amount, asset, payTo, maxTimeoutSeconds, domain } = terms;
  return { scheme: 'exact', network, amount, asset, payTo, maxTimeoutSeconds, extra: { ...domain } };
}

function payloadOf({ signature, authorization }: SignedTransfer, terms: PaymentTerms): PaymentPayload {
  return {
    x402Version: 2,
    accepted: requirementsOf(terms),
    payload: { signature, authorization: { ...authorization } },
  };
}
