import { setTimeout as pause } from 'node:timers/promises';
import type { PremiumConfig } from '../../../config/premium.ts';
import type { Connection } from '../../mongo/index.ts';
import { openCollections } from '../mongo/collections.ts';
import { createPaymentStore } from '../mongo/payment-store.ts';
import { createPayments } from '../payments/create-payments.ts';
import type { Payments } from '../payments/payment.ts';
import { type Answers, createAnswers } from './answers.ts';
import { carryOut } from './carry-out.ts';
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
import type { PurchaseOrder, PurchaseOutcome } from './purchase.ts';
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
   * processes, one pays and all get the same answer. Throws what `prepare` throws, and errors of the store.
   */
  buy(order: PurchaseOrder): Promise<PurchaseOutcome>;
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
  const underWay = new Map<string, Promise<PurchaseOutcome>>();
  return {
    answers: createAnswers(answerStore, clock),
    async buy(order) {
      const key = `${paymentIdOf(order.payment, order.terms)} ${digestOf(order.payment)} ${order.resource}`;
      const same = underWay.get(key);
      if (same !== undefined) return same.finally(() => report.purchased('repeated'));
      const run = buy(parts, order).finally(() => underWay.delete(key));
      underWay.set(key, run);
      return run;
    },
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
type Step = PurchaseOutcome | 'wait' | 'again';

async function buy(parts: BuyParts, order: PurchaseOrder): Promise<PurchaseOutcome> {
  const id = paymentIdOf(order.payment, order.terms);
  const givenUpAt = performance.now() + WAIT_FOR_OTHER_MS;
  for (;;) {
    const known = await parts.store.find(id);
    const step = known === null ? await carryOut(parts, id, order) : await goOn(parts, known, order);
    if (step !== 'wait' && step !== 'again') return told(parts, step);
    if (performance.now() > givenUpAt) return told(parts, { kind: 'unsettled' });
    if (step === 'wait') await pause(LOOK_EVERY_MS);
  }
}

/** What an order gets of a purchase that is there already. */
async function goOn(parts: BuyParts, known: Purchase, order: PurchaseOrder): Promise<Step> {
  const { store, clock, facilitator } = parts;
  const now = new Date(clock());
  const isStale = known.until < now;
  if (known.state === 'open' && isStale) {
    await store.dropStale(known._id, now);
    return 'again';
  }
  if (known.digest !== digestOf(order.payment)) return { kind: 'reused', why: 'other_content' };
  if (known.resource !== order.resource) return { kind: 'reused', why: 'other_resource' };
  if (known.state === 'settled') return repeat(known, now);
  if (known.state === 'open' || !isStale) return 'wait';
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

function told({ report }: BuyParts, outcome: PurchaseOutcome): PurchaseOutcome {
  if (outcome.kind === 'reused') report.purchased('refused');
  else report.purchased(outcome.kind === 'sold' && outcome.repeated ? 'repeated' : outcome.kind);
  return outcome;
}
