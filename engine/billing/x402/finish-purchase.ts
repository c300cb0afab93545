import type { Purchase } from '../mongo/collections.ts';
import type { Payments } from '../payments.ts';
import type { PurchaseReport } from '../report.ts';
import type { Chain } from './chain.ts';
import type { Facilitator } from './facilitator.ts';
import type { PaymentReceipt } from './purchase.ts';
import type { PurchaseStore } from './purchase-store.ts';

/** What a purchase needs. */
export interface PurchaseParts {
  readonly store: PurchaseStore;
  readonly payments: Pick<Payments, 'record'>;
  readonly clock: () => number;
  readonly report: PurchaseReport;
  /** Null: nothing can be bought. */
  readonly facilitator: Facilitator | null;
  /** Null: the chain is not read, and a purchase stays unsettled until the facilitator returns a final result. */
  readonly chain: Chain | null;
}

/**
 * Marks a purchase as settled and records its payment. Safe to repeat. When recording fails, the maintenance job records it
 * later.
 */
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
    parts.report.failed(error);
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
