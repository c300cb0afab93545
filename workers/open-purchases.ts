import type { PremiumConfig } from '../config/premium.ts';
import { createPurchases, type Purchases } from '../engine/billing/index.ts';
import type { Connection } from '../engine/mongo/index.ts';
import { createPurchaseMetrics, type Registry } from '../ops/runtime/telemetry/index.ts';

export interface PurchaseParts {
  readonly connection: Connection;
  readonly config: PremiumConfig | null;
  readonly clock: () => number;
  readonly registry: Registry;
  readonly logThrottled: (error: unknown) => void;
}

/** Opens pay-per-request purchases with metrics and indexes, for any process. */
export async function openPurchases(parts: PurchaseParts): Promise<Purchases> {
  const { connection, config, clock, registry, logThrottled } = parts;
  const report = { ...createPurchaseMetrics(registry), failed: logThrottled };
  const purchases = createPurchases({ connection, clock, config, report });
  await purchases.ensureIndexes();
  return purchases;
}
