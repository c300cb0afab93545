import type { Purchase } from '../mongo/models.ts';
import type { PaymentReceipt } from './purchase.ts';
import type { PurchaseParts } from './purchase-parts.ts';

/** Marks as settled and records the payment; repeatable. When recording fails, the maintenance job records it later. */
export async function finishPurchase(
  parts: PurchaseParts,
  purchase: Purchase,
  transaction: string,
): Promise<PaymentReceipt> {
  const settledAt = new Date(parts.clock());
  await parts.store.settle(purchase._id, transaction, settledAt);
  try {
    await recordPurchase(parts, { ...purchase, transaction, settled_at: settledAt });
  } catch (error) {
    parts.report.failed?.(error);
  }
  return receiptOf({ ...purchase, transaction });
}

/** Records the payment of a settled purchase. */
export async function recordPurchase({ store, payments }: PurchaseParts, purchase: Purchase): Promise<void> {
  const { _id: id, terms, transfer, resource, transaction = '', settled_at, created_at } = purchase;
  await payments.record({
    provider: 'x402',
    kind: 'x402',
    id,
    amount: Number(terms.amount),
    currency: terms.currency.toLowerCase(),
    asset: `${terms.network}/${terms.asset}`,
    occurredAt: (settled_at ?? created_at).getTime(),
    references: { transaction, payer: transfer.authorization.from, payee: terms.payTo, resource },
  });
  await store.markRecorded(id);
}

export function receiptOf({ transfer, terms, transaction = '' }: Purchase): PaymentReceipt {
  return { payer: transfer.authorization.from, transaction, network: terms.network };
}
