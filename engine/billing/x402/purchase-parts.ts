import type { PremiumConfig } from '../../../config/premium.ts';
import type { Connection } from '../../mongo/index.ts';
import { createAnswers } from '../mongo/answers.ts';
import { openBillingModels, openPurchaseModels } from '../mongo/models.ts';
import { createPayments } from '../payments.ts';
import type { PurchaseReport } from '../report.ts';
import { createChain } from './chain.ts';
import { createFacilitator, type FacilitatorTimeouts } from './facilitator.ts';
import { createPurchaseStore } from './purchase-store.ts';

export interface PurchaseOptions {
  /** Connected. The caller closes it. */
  readonly connection: Connection;
  readonly clock: () => number;
  /** Facilitator and chain; null: nothing can be bought, but answers of settled purchases are still returned. */
  readonly config: Pick<PremiumConfig, 'facilitatorUrl' | 'rpcUrl'> | null;
  /** Overrides the default timeouts of the facilitator. */
  readonly timeouts?: FacilitatorTimeouts;
  readonly report?: Partial<PurchaseReport>;
}

/** What a purchase needs. */
export type PurchaseParts = ReturnType<typeof openPurchaseParts>;

export function openPurchaseParts({ connection, clock, config, timeouts, report = {} }: PurchaseOptions) {
  const models = openPurchaseModels(connection);
  const url = config?.facilitatorUrl ?? null;
  const rpcUrl = config?.rpcUrl ?? null;
  return {
    models,
    store: createPurchaseStore(models),
    payments: createPayments(openBillingModels(connection)),
    answers: createAnswers(models, clock),
    clock,
    report,
    /** Null: nothing can be bought. */
    facilitator: url === null ? null : createFacilitator({ url, report, ...timeouts }),
    /** Null: the chain is not read, and a purchase stays unsettled until the facilitator returns a final result. */
    chain: rpcUrl === null ? null : createChain(rpcUrl),
  };
}
