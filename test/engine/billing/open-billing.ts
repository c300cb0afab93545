import mongoose from 'mongoose';
import { type Billing, createBilling } from '../../../engine/billing/index.ts';
import { freshDatabase } from '../../support/engines.ts';

/** Billing on a database of its own. */
export interface BillingUnderTest {
  readonly billing: Billing;
  close(): Promise<void>;
}

export async function openBilling(): Promise<BillingUnderTest> {
  const { mongoUrl } = await freshDatabase();
  const connection = await mongoose.createConnection(mongoUrl).asPromise();
  const billing = createBilling({ connection });
  await billing.ensureIndexes();
  return {
    billing,
    close: async () => {
      await connection.dropDatabase();
      await connection.close();
    },
  };
}
