import type { Connection } from '../mongo/index.ts';
import { ensureBillingIndexes, openCollections } from './mongo/collections.ts';
import { createPaymentStore } from './mongo/payment-store.ts';
import { createPayments } from './payments/create-payments.ts';
import type { Payments } from './payments/payment.ts';

/** Plans, subscriptions and money. */
export interface Billing {
  readonly payments: Payments;
  /** Creates the indexes that correctness rests on; to be called before anything else is. Safe to repeat. */
  ensureIndexes(): Promise<void>;
}

export interface BillingOptions {
  /** Connected, and its opener's to close. */
  readonly connection: Connection;
}

/** Billing over a connected MongoDB connection. */
export function createBilling({ connection }: BillingOptions): Billing {
  const collections = openCollections(connection);
  return {
    payments: createPayments(createPaymentStore(collections)),
    ensureIndexes: () => ensureBillingIndexes(connection),
  };
}
