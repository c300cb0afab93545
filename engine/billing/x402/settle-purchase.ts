import type { Chain, ChainFinding } from './chain.ts';
import { type Facilitator, FacilitatorUnavailable, type Settlement } from './facilitator.ts';
import { type FinishParts, finishPurchase } from './finish-purchase.ts';
import type { Purchase } from './mongo/purchase-store.ts';
import type { PurchaseOutcome } from './purchase.ts';

export interface SettleParts extends FinishParts {
  readonly facilitator: Facilitator;
  /** Null where the chain is not to be read: what a facilitator leaves open stays open until it can say more. */
  readonly chain: Chain | null;
}

/**
 * Moves the money of a purchase that is being settled, or finds out that it moved. `tried`: it was tried before. Two
 * sources are believed: a facilitator that says that it settled, and the chain.
 */
export async function settlePurchase(parts: SettleParts, purchase: Purchase, tried: boolean): Promise<PurchaseOutcome> {
  const known = tried ? await findOnChain(parts, purchase) : null;
  if (known !== null && known.kind !== 'open') return known;
  const doubt = tried && purchase.doubt === true;
  const settlement = await askFacilitator(parts, purchase);
  if (settlement === null) return leave(parts, purchase, doubt, { kind: 'unavailable' });
  if (settlement.kind === 'settled') return sold(parts, purchase, settlement.transaction);
  const found = await findOnChain(parts, purchase);
  if (found.kind !== 'open') return found;
  // A refusal is final where no earlier try is in doubt, or where the chain says that nothing was spent.
  const refused = settlement.kind === 'refused' && (!doubt || found.read);
  return leave(parts, purchase, !refused, { kind: 'refused', stage: 'settle', reason: settlement.reason });
}

/** How the chain ends a purchase, if it does; `read`: whether it could be read. */
async function findOnChain(
  parts: SettleParts,
  purchase: Purchase,
): Promise<PurchaseOutcome | { readonly kind: 'open'; readonly read: boolean }> {
  const finding = await readChain(parts, purchase);
  if (finding?.kind === 'paid') return sold(parts, purchase, finding.transaction);
  if (finding?.kind !== 'spent') return { kind: 'open', read: finding !== null };
  await parts.store.giveUp(purchase);
  return { kind: 'refused', stage: 'settle', reason: 'spent' };
}

/** Leaves a purchase for later tries; while it is in doubt nobody is told that nothing moved. */
async function leave(
  { store, clock }: SettleParts,
  purchase: Purchase,
  doubt: boolean,
  outcome: PurchaseOutcome,
): Promise<PurchaseOutcome> {
  await store.letGo(purchase, new Date(clock()), doubt);
  return doubt ? { kind: 'unsettled' } : outcome;
}

/** What the chain says; null when it cannot be read. */
export async function readChain(
  { chain, report }: Pick<SettleParts, 'chain' | 'report'>,
  { transfer, terms }: Purchase,
): Promise<ChainFinding | null> {
  if (chain === null) return null;
  try {
    return await chain.find(transfer, terms);
  } catch (error) {
    report.failed(error);
    return null;
  }
}

async function askFacilitator({ facilitator }: SettleParts, purchase: Purchase): Promise<Settlement | null> {
  try {
    return await facilitator.settle(purchase.transfer, purchase.terms);
  } catch (error) {
    if (error instanceof FacilitatorUnavailable) return null;
    throw error;
  }
}

async function sold(parts: SettleParts, purchase: Purchase, transaction: string): Promise<PurchaseOutcome> {
  const receipt = await finishPurchase(parts, purchase, transaction);
  return { kind: 'sold', answer: purchase.answer ?? '', receipt, repeated: false };
}
