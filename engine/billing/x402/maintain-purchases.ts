import { finishPurchase, recordPurchase } from './finish-purchase.ts';
import {
  ANSWER_RETENTION_MS,
  MAINTENANCE_BATCH_SIZE,
  OPEN_LEASE_MS,
  REPEAT_MS,
  SETTLE_LEASE_MS,
  SETTLED_RETENTION_MS,
} from './limits.ts';
import type { PurchaseParts } from './purchase-parts.ts';
import { newHolderId, readChain } from './settle-purchase.ts';

/** Seconds after a payment's expiry until the chain shows it for certain. */
const CHAIN_DELAY_S = 60;

/** Moves no money: resolves unknown outcomes from the chain, records settled payments, deletes old purchases and answers. */
export async function maintainPurchases(parts: PurchaseParts): Promise<void> {
  const { store, answers, report, clock } = parts;
  const now = clock();
  const before = new Date(now - SETTLE_LEASE_MS);
  for (const purchase of await store.unresolved(before, MAINTENANCE_BATCH_SIZE)) await resolve(parts, purchase._id);
  for (const purchase of await store.unrecorded(MAINTENANCE_BATCH_SIZE)) await recordPurchase(parts, purchase);
  await store.deleteOld(new Date(now - SETTLED_RETENTION_MS), new Date(now - OPEN_LEASE_MS));
  const inUse = await store.answersInUse(new Date(now - REPEAT_MS));
  await answers.deleteOld(new Date(now - ANSWER_RETENTION_MS), inUse);
  report.unresolved?.(await store.countUnresolved(before));
}

async function resolve(parts: PurchaseParts, id: string): Promise<void> {
  const { store, clock } = parts;
  const now = clock();
  const until = new Date(now + SETTLE_LEASE_MS);
  const purchase = await store.takeOver(id, newHolderId(), new Date(now), until);
  if (purchase === null) return;
  const finding = await readChain(parts, purchase);
  const validBefore = Number(purchase.transfer.authorization.validBefore);
  const isExpired = now / 1_000 > validBefore + CHAIN_DELAY_S;
  if (finding?.kind === 'paid') await finishPurchase(parts, purchase, finding.transaction);
  else if (finding?.kind === 'spent' || (finding?.kind === 'unused' && isExpired)) await store.deleteUnpaid(purchase);
  else await store.endLease(purchase, new Date(now), purchase.doubt === true);
}
