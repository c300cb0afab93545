import { CLOCK_TOLERANCE_S, SETTLING_TAKES_S } from './limits.ts';
import type { PaymentTerms, SignedTransfer } from './payment.ts';

/** What is wrong with a payment's times at a moment (seconds since the epoch), if anything is. */
export function validityFault(
  { authorization }: SignedTransfer,
  { maxTimeoutSeconds }: PaymentTerms,
  nowSeconds: number,
): 'expired' | 'not_valid_yet' | 'valid_too_long' | null {
  const after = BigInt(authorization.validAfter);
  const before = BigInt(authorization.validBefore);
  const now = BigInt(Math.floor(nowSeconds));
  if (before < now + BigInt(SETTLING_TAKES_S)) return 'expired';
  if (after > now) return 'not_valid_yet';
  if (before > now + BigInt(maxTimeoutSeconds + CLOCK_TOLERANCE_S)) return 'valid_too_long';
  return null;
}
