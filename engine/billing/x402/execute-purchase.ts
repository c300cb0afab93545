import type { Purchase } from '../mongo/models.ts';
import type { PaymentTerms, SignedTransfer } from '../types.ts';
import { CLOCK_TOLERANCE_S, MIN_SETTLING_VALIDITY_S, OPEN_LEASE_MS, SETTLE_LEASE_MS } from './limits.ts';
import { digestOf } from './payment.ts';
import type { PurchaseOrder, PurchaseResult } from './purchase.ts';
import type { PurchaseParts } from './purchase-parts.ts';
import { newAnswerReceipt, receiptHashOf } from './repeat-proof.ts';
import { newHolderId, settlePurchase } from './settle-purchase.ts';
import { verifySignature } from './verify-signature.ts';

/**
 * Executes a new purchase: verifies the payment, prepares and stores the answer, then settles. A failure before settling leaves
 * nothing stored. `again`: another request began it meanwhile.
 */
export async function executePurchase(
  parts: PurchaseParts,
  id: string,
  order: PurchaseOrder,
): Promise<PurchaseResult | 'again'> {
  const { store, clock, facilitator } = parts;
  // Only a new purchase checks the clock: a settled one returns its answer after the payment has expired.
  const fault = validityFault(order.payment, order.terms, clock() / 1_000);
  if (fault !== null) return { kind: 'refused', stage: 'verify', reason: fault };
  if (facilitator === null) return { kind: 'unavailable' };
  // Checked here, because calls to the facilitator are slow and limited.
  const signature = await verifySignature(order.payment, order.terms);
  if (signature === 'invalid') return { kind: 'refused', stage: 'verify', reason: 'invalid_signature' };
  const answerReceipt = newAnswerReceipt();
  const purchase = { ...newPurchase(id, order, clock()), answer_receipts: [receiptHashOf(answerReceipt)] };
  if (!(await store.begin(purchase))) return 'again';
  const verification = await deletingOnFailure(parts, purchase, () =>
    facilitator.verify(order.payment, order.terms, signature),
  );
  if (verification?.kind !== 'valid') {
    await store.deleteOpen(purchase);
    if (verification === null) return { kind: 'unavailable' };
    return { kind: 'refused', stage: 'verify', reason: verification.reason };
  }
  const answer = await deletingOnFailure(parts, purchase, () => order.prepare());
  // The lease ran out meanwhile and another holder has the purchase: look it up again.
  if (!(await store.beginSettling(purchase, answer, new Date(clock() + SETTLE_LEASE_MS)))) return 'again';
  const outcome = await settlePurchase({ ...parts, facilitator }, { ...purchase, state: 'settling', answer }, false);
  return { ...outcome, answerReceipt };
}

/** Runs a step that moves no money; when it throws, the purchase is deleted. */
async function deletingOnFailure<T>({ store }: PurchaseParts, purchase: Purchase, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    await store.deleteOpen(purchase);
    throw error;
  }
}

function newPurchase(id: string, { resource, payment, terms }: PurchaseOrder, now: number) {
  return {
    _id: id,
    digest: digestOf(payment),
    resource,
    state: 'open' as const,
    holder: newHolderId(),
    until: new Date(now + OPEN_LEASE_MS),
    created_at: new Date(now),
    transfer: payment,
    terms,
  };
}

/** What is wrong with a payment's validity period; null when nothing is. `nowSeconds` is since the epoch. */
function validityFault(
  { authorization }: SignedTransfer,
  { maxTimeoutSeconds }: PaymentTerms,
  nowSeconds: number,
): 'expired' | 'not_valid_yet' | 'valid_too_long' | null {
  const after = BigInt(authorization.validAfter);
  const before = BigInt(authorization.validBefore);
  const now = BigInt(Math.floor(nowSeconds));
  if (before < now + BigInt(MIN_SETTLING_VALIDITY_S)) return 'expired';
  if (after > now) return 'not_valid_yet';
  if (before > now + BigInt(maxTimeoutSeconds + CLOCK_TOLERANCE_S)) return 'valid_too_long';
  return null;
}
