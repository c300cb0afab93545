import type { ProblemCode } from '../../engine/contract/index.ts';
import type { Offer } from './offers.ts';
import type { PresentedPayment } from './read-payment.ts';

/** The first mismatch between a payment and an offer; null without one. Does not check signature and time. */
export function paymentMismatch(
  payment: PresentedPayment,
  { terms, v1Network }: Offer,
): { readonly code: ProblemCode; readonly detail: string } | null {
  const network = payment.version === 1 ? v1Network : terms.network;
  const claimed = payment.version === 2 ? payment.accepted : null;
  const { to, value } = payment.transfer.authorization;
  if (payment.scheme !== 'exact') return mismatch('payment_scheme_wrong', 'scheme', payment.scheme, 'exact');
  if (payment.network !== network) return mismatch('payment_network_wrong', 'network', payment.network, network);
  if (claimed !== null && !isSame(claimed.asset, terms.asset)) {
    return mismatch('payment_asset_wrong', 'token', claimed.asset, terms.asset);
  }
  for (const payee of [to, claimed?.payTo ?? to]) {
    if (!isSame(payee, terms.payTo)) return mismatch('payment_payee_wrong', 'payee', payee, terms.payTo);
  }
  for (const amount of [value, claimed?.amount ?? value]) {
    if (BigInt(amount) !== BigInt(terms.amount))
      return mismatch('payment_amount_wrong', 'amount', amount, terms.amount);
  }
  return null;
}

/** Characters of a client's value that are repeated in a detail. */
const SHOWN_LENGTH = 80;

function mismatch(code: ProblemCode, what: string, given: string, wanted: string) {
  return { code, detail: `The ${what} is ${given.slice(0, SHOWN_LENGTH)}, and should be ${wanted}.` };
}

/** Addresses are compared without their checksum. */
function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
