import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Purchase } from '../mongo/models.ts';
import type { Chain } from './chain.ts';
import { EOA_SIGNATURE, hex } from './payment.ts';
import type { PurchaseOrder } from './purchase.ts';

const RECEIPT_BYTES = 32;

/** A secret with which the payer gets the answer of a purchase again. Only its hash is stored. */
export function newAnswerReceipt(): string {
  return randomBytes(RECEIPT_BYTES).toString('base64url');
}

export function receiptHashOf(receipt: string): string {
  return createHash('sha256').update(receipt).digest('base64url');
}

/** The text that a payer without a receipt signs (EIP-191) with the key that paid. */
export function claimTextOf({ _id, resource }: Pick<Purchase, '_id' | 'resource'>): string {
  return `Upsilon: I claim the answer to ${resource}, paid for by ${_id}`;
}

/** The receipt of an order, if it is one of the purchase's; null otherwise. */
export function receiptFor({ answer_receipts = [] }: Purchase, { answerReceipt = null }: PurchaseOrder): string | null {
  if (answerReceipt === null) return null;
  const hash = Buffer.from(receiptHashOf(answerReceipt));
  return answer_receipts.some((known) => timingSafeEqual(hash, Buffer.from(known))) ? answerReceipt : null;
}

/**
 * Whether the paying account claims the answer of a purchase. A settled payment is public on the chain, so repeating the
 * payment itself proves nothing.
 * @throws when the claim of a contract cannot be checked because the chain cannot be read.
 */
export async function isClaimed(
  chain: Chain | null,
  known: Purchase,
  { claim = null }: PurchaseOrder,
): Promise<boolean> {
  if (claim === null) return false;
  const signed = {
    address: hex(known.transfer.authorization.from),
    message: claimTextOf(known),
    signature: hex(claim),
  };
  if (!EOA_SIGNATURE.test(claim)) return chain !== null && (await chain.isSigned(signed));
  const { verifyMessage } = await import('viem/utils');
  // Throws when the signature is not a point on the curve.
  return verifyMessage(signed).catch(() => false);
}
