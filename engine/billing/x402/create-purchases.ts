import { setTimeout as sleep } from 'node:timers/promises';
import { ensureStored } from '../../mongo/index.ts';
import type { Purchase } from '../mongo/models.ts';
import { executePurchase } from './execute-purchase.ts';
import { receiptOf } from './finish-purchase.ts';
import { CHECK_INTERVAL_MS, MAX_WAIT_FOR_OTHER_MS, REPEAT_MS, SETTLE_LEASE_MS } from './limits.ts';
import { maintainPurchases } from './maintain-purchases.ts';
import { digestOf, paymentIdOf } from './payment.ts';
import type { PurchaseOrder, PurchaseOutcome, PurchaseResult } from './purchase.ts';
import { openPurchaseParts, type PurchaseOptions, type PurchaseParts } from './purchase-parts.ts';
import { claimTextOf, isClaimed, newAnswerReceipt, receiptFor, receiptHashOf } from './repeat-proof.ts';
import { newHolderId, settlePurchase } from './settle-purchase.ts';

/** Purchases, each paid by one request. */
export type Purchases = ReturnType<typeof createPurchases>;

/** Opens purchases with their indexes. */
export async function openPurchases(options: PurchaseOptions): Promise<Purchases> {
  const purchases = createPurchases(options);
  await purchases.ensureIndexes();
  return purchases;
}

/** Purchases over a connected MongoDB connection. */
export function createPurchases(options: PurchaseOptions) {
  const parts = openPurchaseParts(options);
  return {
    answers: parts.answers,
    /**
     * Executes an order once: of any number of equal orders, concurrent or repeated, in any number of processes, one pays, and
     * all from the payer get the same answer. Throws what `prepare` throws, and errors of the store.
     */
    buy: (order: PurchaseOrder) => buy(parts, order),
    /** Resolves payments with an unknown outcome, records settled ones, and deletes old purchases and answers. */
    maintain: () => maintainPurchases(parts),
    ensureIndexes: () => ensureStored(Object.values(parts.models)),
  };
}

/** The next step of an order: its result, or a new attempt after a short wait or at once. */
type Step = PurchaseResult | 'wait' | 'again';

async function buy(parts: PurchaseParts, order: PurchaseOrder): Promise<PurchaseResult> {
  const id = paymentIdOf(order.payment, order.terms);
  const deadline = performance.now() + MAX_WAIT_FOR_OTHER_MS;
  let fromPayer = false;
  for (;;) {
    const known = await parts.store.find(id);
    // Until the facilitator is called to settle, only the payer and this service know the payment.
    fromPayer ||= known === null || known.state === 'open';
    const step: Step =
      known === null ? await executePurchase(parts, id, order) : await resumePurchase(parts, known, order, fromPayer);
    fromPayer ||= step === 'wait' || step === 'again';
    if (step !== 'wait' && step !== 'again') return reported(parts, step);
    if (performance.now() > deadline) return reported(parts, { kind: 'unsettled' });
    if (step === 'wait') await sleep(CHECK_INTERVAL_MS);
  }
}

/** Handles an order whose payment already has a purchase. */
async function resumePurchase(
  parts: PurchaseParts,
  known: Purchase,
  order: PurchaseOrder,
  fromPayer: boolean,
): Promise<Step> {
  const { store, clock, chain, report } = parts;
  const now = new Date(clock());
  if (known.state === 'open' && known.until < now) {
    await store.deleteExpiredOpen(known._id, now);
    return 'again';
  }
  if (known.digest !== digestOf(order.payment)) return { kind: 'reused', why: 'other_content' };
  if (known.resource !== order.resource) return { kind: 'reused', why: 'other_resource' };
  if (known.state === 'open') return 'wait';
  const settled = known.state === 'settled' ? repeatedOutcome(known, now) : null;
  if (settled?.kind === 'reused') return settled;
  try {
    const isAllowed = fromPayer || receiptFor(known, order) !== null || (await isClaimed(chain, known, order));
    if (!isAllowed) return { kind: 'claim_required', claimText: claimTextOf(known) };
  } catch (error) {
    report.failed?.(error);
    return { kind: 'unsettled' };
  }
  const step = settled ?? (await settleExpired(parts, known, now));
  if (typeof step === 'string' || step.kind !== 'sold') return step;
  const answerReceipt = receiptFor(known, order) ?? newAnswerReceipt();
  if (answerReceipt !== order.answerReceipt) await store.addReceipt(known._id, receiptHashOf(answerReceipt));
  return { ...step, answerReceipt };
}

/** Settles a purchase whose lease has expired. */
async function settleExpired(parts: PurchaseParts, known: Purchase, now: Date): Promise<Step> {
  const { store, facilitator } = parts;
  if (known.until >= now) return 'wait';
  if (facilitator === null) return { kind: 'unsettled' };
  const taken = await store.takeOver(known._id, newHolderId(), now, new Date(now.getTime() + SETTLE_LEASE_MS));
  return taken === null ? 'again' : settlePurchase({ ...parts, facilitator }, taken, true);
}

/** The answer of a settled purchase, within `REPEAT_MS`. */
function repeatedOutcome(known: Purchase, now: Date): PurchaseOutcome {
  const settledAt = known.settled_at ?? known.created_at;
  if (now.getTime() - settledAt.getTime() > REPEAT_MS) return { kind: 'reused', why: 'too_late' };
  return { kind: 'sold', answer: known.answer ?? '', receipt: receiptOf(known), repeated: true };
}

function reported({ report }: PurchaseParts, outcome: PurchaseResult): PurchaseResult {
  if (outcome.kind === 'reused' || outcome.kind === 'claim_required') report.purchased?.('refused');
  else report.purchased?.(outcome.kind === 'sold' && outcome.repeated ? 'repeated' : outcome.kind);
  return outcome;
}
