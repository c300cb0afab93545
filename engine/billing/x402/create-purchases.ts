import { setTimeout as pause } from 'node:timers/promises';
import type { PremiumConfig } from '../../../config/premium.ts';
import type { Connection } from '../../mongo/index.ts';
import { openCollections } from '../mongo/collections.ts';
import { createPaymentStore } from '../mongo/payment-store.ts';
import { createPayments } from '../payments/create-payments.ts';
import type { Payments } from '../payments/payment.ts';
import { type Answers, createAnswers } from './answers.ts';
import { executePurchase } from './carry-out.ts';
import { type Chain, createChain } from './chain.ts';
import { createFacilitator, type Facilitator, type FacilitatorWaits } from './facilitator.ts';
import { receiptOf } from './finish-purchase.ts';
import { newHolder } from './holder.ts';
import { LOOK_EVERY_MS, REPEAT_MS, SETTLE_LEASE_MS, WAIT_FOR_OTHER_MS } from './limits.ts';
import { createAnswerStore } from './mongo/answer-store.ts';
import { ensurePurchaseIndexes, openPurchaseCollections } from './mongo/collections.ts';
import { createPurchaseLists } from './mongo/purchase-lists.ts';
import { createPurchaseStore, type Purchase, type PurchaseStore } from './mongo/purchase-store.ts';
import { digestOf, paymentIdOf } from './payment.ts';
import type { PurchaseOrder, PurchaseOutcome, PurchaseResult } from './purchase.ts';
import { claimTextOf, isClaimed, newAnswerReceipt, receiptFor, receiptHashOf } from './repeat-proof.ts';
import { type PurchaseReport, SILENT_PURCHASES } from './report.ts';
import { settlePurchase } from './settle-purchase.ts';
import { upkeepOf } from './upkeep.ts';

export interface PurchaseOptions {
  /** Connected, and its opener's to close. */
  readonly connection: Connection;
  readonly clock: () => number;
  /** Who settles, and where the chain is read; null: nothing can be bought, but what was bought is still there. */
  readonly config: Pick<PremiumConfig, 'facilitatorUrl' | 'rpcUrl'> | null;
  /** Other waits for the facilitator than the usual. */
  readonly waits?: FacilitatorWaits;
  readonly report?: Partial<PurchaseReport>;
}

/** Things that are paid for one request at a time. */
export interface Purchases {
  readonly answers: Answers;
  /**
   * Carries out an order, once: of any number of equal orders, at once or one after the other, in any number of
   * processes, one pays, and all that come from the payer get the same answer. Throws what `prepare` throws, and errors of
   * the store.
   */
  buy(order: PurchaseOrder): Promise<PurchaseResult>;
  /** Finds out what became of payments that were left open, puts what was paid in the books, and forgets what is old. */
  upkeep(): Promise<void>;
  ensureIndexes(): Promise<void>;
}

/** Purchases over a connected MongoDB connection. */
export function createPurchases(options: PurchaseOptions): Purchases {
  const { connection, clock, config } = options;
  const report: PurchaseReport = { ...SILENT_PURCHASES, ...options.report };
  const collections = openPurchaseCollections(connection);
  const store = createPurchaseStore(collections);
  const answerStore = createAnswerStore(collections);
  const payments = createPayments(createPaymentStore(openCollections(connection)));
  const url = config?.facilitatorUrl ?? null;
  const facilitator = url === null ? null : createFacilitator({ url, report, ...options.waits });
  const chain = config === null || config.rpcUrl === null ? null : createChain(config.rpcUrl);
  const parts: BuyParts = { store, payments, clock, report, facilitator, chain };
  return {
    answers: createAnswers(answerStore, clock),
    buy: (order) => buy(parts, order),
    upkeep: upkeepOf({
      store,
      lists: createPurchaseLists(collections),
      answers: answerStore,
      payments,
      clock,
      report,
      chain,
    }),
    ensureIndexes: () => ensurePurchaseIndexes(connection),
  };
}

export interface BuyParts {
  readonly store: PurchaseStore;
  readonly payments: Pick<Payments, 'record'>;
  readonly clock: () => number;
  readonly report: PurchaseReport;
  readonly facilitator: Facilitator | null;
  readonly chain: Chain | null;
}

/** What is to be done about an order: it is over, or it is looked at again a little later, or at once. */
type Step = PurchaseResult | 'wait' | 'again';

async function buy(parts: BuyParts, order: PurchaseOrder): Promise<PurchaseResult> {
  const id = paymentIdOf(order.payment, order.terms);
  const givenUpAt = performance.now() + WAIT_FOR_OTHER_MS;
  let fromPayer = false;
  for (;;) {
    const known = await parts.store.find(id);
    // Until the facilitator is asked to settle, only the payer and this service know the payment.
    fromPayer ||= known === null || known.state === 'open';
    const step: Step =
      known === null ? await executePurchase(parts, id, order) : await resumePurchase(parts, known, order, fromPayer);
    fromPayer ||= step === 'wait' || step === 'again';
    if (step !== 'wait' && step !== 'again') return told(parts, step);
    if (performance.now() > givenUpAt) return told(parts, { kind: 'unsettled' });
    if (step === 'wait') await pause(LOOK_EVERY_MS);
  }
}

/** What an order gets of a purchase that is there already. */
async function resumePurchase(
  parts: BuyParts,
  known: Purchase,
  order: PurchaseOrder,
  fromPayer: boolean,
): Promise<Step> {
  const { store, clock, chain, report } = parts;
  const now = new Date(clock());
  if (known.state === 'open' && known.until < now) {
    await store.dropStale(known._id, now);
    return 'again';
  }
  if (known.digest !== digestOf(order.payment)) return { kind: 'reused', why: 'other_content' };
  if (known.resource !== order.resource) return { kind: 'reused', why: 'other_resource' };
  if (known.state === 'open') return 'wait';
  const settled = known.state === 'settled' ? repeat(known, now) : null;
  if (settled?.kind === 'reused') return settled;
  try {
    const isAllowed = fromPayer || receiptFor(known, order) !== null || (await isClaimed(chain, known, order));
    if (!isAllowed) return { kind: 'claim_required', claimText: claimTextOf(known) };
  } catch (error) {
    report.failed(error);
    return { kind: 'unsettled' };
  }
  const step = settled ?? (await resume(parts, known, now));
  if (typeof step === 'string' || step.kind !== 'sold') return step;
  const answerReceipt = receiptFor(known, order) ?? newAnswerReceipt();
  if (answerReceipt !== order.answerReceipt) await store.addReceipt(known._id, receiptHashOf(answerReceipt));
  return { ...step, answerReceipt };
}

/** Settles a purchase whose holder is gone. */
async function resume(parts: BuyParts, known: Purchase, now: Date): Promise<Step> {
  const { store, facilitator } = parts;
  if (known.until >= now) return 'wait';
  if (facilitator === null) return { kind: 'unsettled' };
  const taken = await store.takeOver(known._id, newHolder(), now, new Date(now.getTime() + SETTLE_LEASE_MS));
  return taken === null ? 'again' : settlePurchase({ ...parts, facilitator }, taken, true);
}

/** The answer that a payment bought, while it leads there. */
function repeat(known: Purchase, now: Date): PurchaseOutcome {
  const settledAt = known.settled_at ?? known.created_at;
  if (now.getTime() - settledAt.getTime() > REPEAT_MS) return { kind: 'reused', why: 'too_late' };
  return { kind: 'sold', answer: known.answer ?? '', receipt: receiptOf(known), repeated: true };
}

function told({ report }: BuyParts, outcome: PurchaseResult): PurchaseResult {
  if (outcome.kind === 'reused' || outcome.kind === 'claim_required') report.purchased('refused');
  else report.purchased(outcome.kind === 'sold' && outcome.repeated ? 'repeated' : outcome.kind);
  return outcome;
}
