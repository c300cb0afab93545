import { type Facilitator, FacilitatorUnavailable, type Verification } from './facilitator.ts';
import { newHolder } from './holder.ts';
import { OPEN_LEASE_MS, SETTLE_LEASE_MS } from './limits.ts';
import type { Purchase } from './mongo/purchase-store.ts';
import { digestOf } from './payment.ts';
import type { PurchaseOrder, PurchaseResult } from './purchase.ts';
import { newAnswerReceipt, receiptHashOf } from './repeat-proof.ts';
import { type SettleParts, settlePurchase } from './settle-purchase.ts';
import { validityFault } from './validity.ts';
import { verifySignature } from './verify-signature.ts';

interface ExecuteParts extends Omit<SettleParts, 'facilitator'> {
  readonly facilitator: Facilitator | null;
}

/**
 * Begins a purchase and carries it out: the payment is verified, the answer prepared and stored, then the money moved. A
 * failure before the last step leaves nothing behind. `again`: somebody else began it meanwhile.
 */
export async function executePurchase(
  parts: ExecuteParts,
  id: string,
  order: PurchaseOrder,
): Promise<PurchaseResult | 'again'> {
  const { store, clock, facilitator } = parts;
  // Only a purchase that is new looks at the clock: one that was paid leads to its answer after the payment has expired.
  const fault = validityFault(order.payment, order.terms, clock() / 1_000);
  if (fault !== null) return { kind: 'refused', stage: 'verify', reason: fault };
  if (facilitator === null) return { kind: 'unavailable' };
  // Checked here, because calls to the facilitator are slow and limited.
  const signature = await verifySignature(order.payment, order.terms);
  if (signature === 'invalid') return { kind: 'refused', stage: 'verify', reason: 'invalid_signature' };
  const answerReceipt = newAnswerReceipt();
  const purchase = { ...newPurchase(id, order, clock()), answer_receipts: [receiptHashOf(answerReceipt)] };
  if (!(await store.begin(purchase))) return 'again';
  const verification = await released(parts, purchase, () => verify(facilitator, purchase, signature));
  if (verification?.kind !== 'valid') {
    await store.release(purchase);
    if (verification === null) return { kind: 'unavailable' };
    return { kind: 'refused', stage: 'verify', reason: verification.reason };
  }
  const answer = await released(parts, purchase, () => order.prepare());
  // A holder that slept lets others go first; whoever holds it now asks anew.
  if (!(await store.beginSettling(purchase, answer, new Date(clock() + SETTLE_LEASE_MS)))) return 'again';
  const outcome = await settlePurchase({ ...parts, facilitator }, { ...purchase, state: 'settling', answer }, false);
  return { ...outcome, answerReceipt };
}

/** Runs a step in which nothing moves; when it throws, the purchase is forgotten. */
async function released<T>({ store }: ExecuteParts, purchase: Purchase, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    await store.release(purchase);
    throw error;
  }
}

/** Null when the facilitator cannot be asked. */
async function verify(
  facilitator: Facilitator,
  { transfer, terms }: Purchase,
  signature: 'valid' | 'contract',
): Promise<Verification | null> {
  try {
    return await facilitator.verify(transfer, terms, signature);
  } catch (error) {
    if (error instanceof FacilitatorUnavailable) return null;
    throw error;
  }
}

function newPurchase(id: string, { resource, payment, terms }: PurchaseOrder, now: number) {
  return {
    _id: id,
    digest: digestOf(payment),
    resource,
    state: 'open' as const,
    holder: newHolder(),
    until: new Date(now + OPEN_LEASE_MS),
    created_at: new Date(now),
    transfer: payment,
    terms,
  };
}
