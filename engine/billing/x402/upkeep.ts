import { type FinishParts, finishPurchase, recordPurchase } from './finish-purchase.ts';
import { newHolder } from './holder.ts';
import { ANSWER_KEPT_MS, OPEN_LEASE_MS, REPEAT_MS, SETTLE_LEASE_MS, SETTLED_KEPT_MS, UPKEEP_BATCH } from './limits.ts';
import type { AnswerStore } from './mongo/answer-store.ts';
import type { PurchaseLists } from './mongo/purchase-lists.ts';
import type { Purchase } from './mongo/purchase-store.ts';
import type { PurchaseReport } from './report.ts';
import { readChain, type SettleParts } from './settle-purchase.ts';

interface UpkeepParts extends FinishParts {
  readonly lists: PurchaseLists;
  readonly answers: Pick<AnswerStore, 'sweep'>;
  readonly chain: SettleParts['chain'];
  readonly report: PurchaseReport;
}

/** Seconds after a payment's last moment from which the chain would show it. */
const SHOWN_WITHIN_S = 60;

/**
 * What is done for purchases now and then. It moves no money: it reads what the chain shows of payments whose payers may
 * be gone, puts what was paid in the books, and forgets what is old.
 */
export function upkeepOf(parts: UpkeepParts): () => Promise<void> {
  const { lists, answers, report, clock } = parts;
  return async () => {
    const now = clock();
    const before = new Date(now - SETTLE_LEASE_MS);
    for (const purchase of await lists.unresolved(before, UPKEEP_BATCH)) await resolve(parts, purchase._id);
    for (const purchase of await lists.unrecorded(UPKEEP_BATCH)) await recordPurchase(parts, purchase);
    await lists.sweep(new Date(now - SETTLED_KEPT_MS), new Date(now - OPEN_LEASE_MS));
    const inUse = await lists.answersInUse(new Date(now - REPEAT_MS));
    await answers.sweep(new Date(now - ANSWER_KEPT_MS), inUse);
    report.unresolved(await lists.countUnresolved(new Date(now - SETTLE_LEASE_MS)));
  };
}

async function resolve(parts: UpkeepParts, id: string): Promise<void> {
  const { store, clock } = parts;
  const now = clock();
  const purchase: Purchase | null = await store.takeOver(
    id,
    newHolder(),
    new Date(now),
    new Date(now + SETTLE_LEASE_MS),
  );
  if (purchase === null) return;
  const finding = await readChain(parts, purchase);
  const lastMoment = Number(purchase.transfer.authorization.validBefore);
  const isOver = now / 1_000 > lastMoment + SHOWN_WITHIN_S;
  if (finding?.kind === 'paid') await finishPurchase(parts, purchase, finding.transaction);
  else if (finding?.kind === 'spent' || (finding?.kind === 'unused' && isOver)) await store.giveUp(purchase);
  else await store.letGo(purchase, new Date(now), purchase.doubt === true);
}
