import type { ProblemCode } from '../../engine/contract/index.ts';
import type { Offer } from './offers.ts';
import type { PresentedPayment } from './read-payment.ts';

/** What of a payment does not fit an offer, with words for people; null when it fits. Says nothing of signature and time. */
export function misfit(
  payment: PresentedPayment,
  { terms, v1Network }: Offer,
): { readonly code: ProblemCode; readonly detail: string } | null {
  const network = payment.version === 1 ? v1Network : terms.network;
  const claimed = payment.version === 2 ? payment.accepted : null;
  const { to, value } = payment.transfer.authorization;
  if (payment.scheme !== 'exact') return told('payment_scheme_wrong', 'scheme', payment.scheme, 'exact');
  if (payment.network !== network) {
    return told('payment_network_wrong', 'network', payment.network, network ?? terms.network);
  }
  if (claimed !== null && !isSame(claimed.asset, terms.asset)) {
    return told('payment_asset_wrong', 'token', claimed.asset, terms.asset);
  }
  for (const payee of [to, claimed?.payTo ?? to]) {
    if (!isSame(payee, terms.payTo)) return told('payment_payee_wrong', 'payee', payee, terms.payTo);
  }
  for (const amount of [value, claimed?.amount ?? value]) {
    if (BigInt(amount) !== BigInt(terms.amount)) return told('payment_amount_wrong', 'amount', amount, terms.amount);
  }
  return null;
}

/** Characters of what a client sent that are repeated to it. */
const SHOWN_LENGTH = 80;

function told(code: ProblemCode, what: string, given: string, wanted: string) {
  return { code, detail: `The ${what} is ${given.slice(0, SHOWN_LENGTH)}, and should be ${wanted}.` };
}

/** Addresses are compared without their checksum. */
function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
