import { randomBytes } from 'node:crypto';
import type { Purchase } from '../mongo/models.ts';
import type { Facilitator } from './facilitator.ts';
import { finishPurchase } from './finish-purchase.ts';
import type { PurchaseOutcome } from './purchase.ts';
import type { PurchaseParts } from './purchase-parts.ts';

const HOLDER_ID_BYTES = 12;

type SettleParts = PurchaseParts & { readonly facilitator: Facilitator };

/** A random id for one execution of a purchase. */
export function newHolderId(): string {
  return randomBytes(HOLDER_ID_BYTES).toString('base64url');
}

/** `tried`: there was an earlier attempt. Only the facilitator's confirmation and the chain count as proof. */
export async function settlePurchase(parts: SettleParts, purchase: Purchase, tried: boolean): Promise<PurchaseOutcome> {
  const known = tried ? await findOnChain(parts, purchase) : null;
  if (known !== null && known.kind !== 'open') return known;
  const doubt = tried && purchase.doubt === true;
  const settlement = await parts.facilitator.settle(purchase.transfer, purchase.terms);
  if (settlement === null) return leave(parts, purchase, doubt, { kind: 'unavailable' });
  if (settlement.kind === 'settled') return sold(parts, purchase, settlement.transaction);
  const found = await findOnChain(parts, purchase);
  if (found.kind !== 'open') return found;
  // A refusal is final when no earlier attempt is in doubt, or when the chain shows that the payment is unused.
  const refused = settlement.kind === 'refused' && (!doubt || found.read);
  return leave(parts, purchase, !refused, { kind: 'refused', stage: 'settle', reason: settlement.reason });
}

/** The outcome of a purchase by the chain; `open` without one. `read`: whether the chain could be read. */
async function findOnChain(
  parts: SettleParts,
  purchase: Purchase,
): Promise<PurchaseOutcome | { readonly kind: 'open'; readonly read: boolean }> {
  const finding = await readChain(parts, purchase);
  if (finding?.kind === 'paid') return sold(parts, purchase, finding.transaction);
  if (finding?.kind !== 'spent') return { kind: 'open', read: finding !== null };
  await parts.store.deleteUnpaid(purchase);
  return { kind: 'refused', stage: 'settle', reason: 'spent' };
}

/** Leaves a purchase for later attempts. While it is in doubt, the outcome is `unsettled`: the money may have moved. */
async function leave(
  { store, clock }: SettleParts,
  purchase: Purchase,
  doubt: boolean,
  outcome: PurchaseOutcome,
): Promise<PurchaseOutcome> {
  await store.endLease(purchase, new Date(clock()), doubt);
  return doubt ? { kind: 'unsettled' } : outcome;
}

/** Null when the chain is not configured or cannot be read. */
export async function readChain({ chain, report }: PurchaseParts, { transfer, terms }: Purchase) {
  if (chain === null) return null;
  try {
    return await chain.find(transfer, terms);
  } catch (error) {
    report.failed?.(error);
    return null;
  }
}

async function sold(parts: SettleParts, purchase: Purchase, transaction: string): Promise<PurchaseOutcome> {
  const receipt = await finishPurchase(parts, purchase, transaction);
  return { kind: 'sold', answer: purchase.answer ?? '', receipt, repeated: false };
}
