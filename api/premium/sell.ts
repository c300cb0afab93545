import { encodePaymentResponseHeader } from '@x402/core/http';
import type { PaymentReceipt, PurchaseOutcome, PurchaseResult, Purchases } from '../../engine/billing/index.ts';
import type { ProblemCode } from '../../engine/contract/index.ts';
import { fromStorage, Problem } from '../http/problem.ts';
import type { StreamedResult } from '../http/route.ts';
import { NO_PAYMENT, type Offer } from './offers.ts';
import { type PresentedPayment, paymentMismatch, readPayment, readRepeatProof } from './read-payment.ts';

export interface SaleRequest {
  /** Upper case. */
  readonly method: string;
  readonly header: (name: string) => string | undefined;
  /** The normalized target. */
  readonly target: string;
  /** Creates the answer; returns its id. */
  prepare(): Promise<string>;
}

/** Sells an answer: requests a payment, or accepts the presented one. @throws Problem unless the answer is paid for. */
export async function sell(purchases: Purchases, offer: Offer, request: SaleRequest): Promise<StreamedResult> {
  const payment = readPayment(request.header);
  if (payment === null) throw unpaid(offer, NO_PAYMENT, `This costs ${offer.price}.`);
  if (request.method !== 'GET') {
    throw unpaid(offer, 'payment_refused', `A payment buys the answer to GET, and this is ${request.method}.`);
  }
  const wrong = paymentMismatch(payment, offer);
  if (wrong !== null) throw unpaid(offer, wrong.code, wrong.detail);
  const { terms } = offer;
  const resource = `${request.method} ${request.target}`;
  const proof = readRepeatProof(request.header);
  const order = { resource, payment: payment.transfer, terms, ...proof, prepare: () => request.prepare() };
  const outcome = await fromStorage(() => purchases.buy(order));
  if (outcome.kind !== 'sold') throw refusal(offer, payment, outcome);
  const answer = await fromStorage(() => purchases.answers.open(outcome.answer));
  if (answer === null) throw new Problem('internal_error', { cause: new Error('a sold answer is missing') });
  const { mediaType, headers, bytes, body } = answer;
  return {
    kind: 'streamed',
    status: 200,
    mediaType,
    bytes,
    gzipped: body,
    headers: {
      ...headers,
      ...receiptHeader(offer, payment, { success: true, ...outcome.receipt }),
      ...answerReceipt(outcome),
    },
  };
}

/** A 402 with the reason and the challenge. */
function unpaid(
  offer: Offer,
  code: ProblemCode,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Problem {
  const extensions = offer.challenge(code);
  return new Problem(code, { detail, extensions, headers: { 'PAYMENT-REQUIRED': offer.header(code), ...headers } });
}

/** The receipt with which the payer gets the answer again. Problems contain it too, because a payment in doubt may have settled. */
function answerReceipt({ answerReceipt: receipt }: PurchaseResult): Readonly<Record<string, string>> {
  return receipt === undefined ? {} : { 'Answer-Receipt': receipt };
}

const REUSED: Readonly<Record<Extract<PurchaseOutcome, { kind: 'reused' }>['why'], string>> = {
  other_content: 'Another payment with the same nonce was presented before.',
  other_resource: 'The payment was presented for another request.',
  too_late: 'The payment was settled more than 10 minutes ago: its answer is no longer kept.',
};

function claimDetail(text: string): string {
  return (
    'The payment was presented before, and is public once it is settled. Do not pay again: repeat the request with the ' +
    'Answer-Receipt of the first response, or with Answer-Claim, a signature (EIP-191, personal_sign) by the paying ' +
    `account over this text: ${text}`
  );
}

/** Seconds until the client should present again a payment that is in doubt or could not be processed. */
const PRESENT_AGAIN_S = '5';

function refusal(offer: Offer, payment: PresentedPayment, outcome: Exclude<PurchaseResult, { kind: 'sold' }>): Problem {
  const receipt = answerReceipt(outcome);
  switch (outcome.kind) {
    case 'reused':
      return unpaid(offer, 'payment_reused', REUSED[outcome.why]);
    case 'claim_required':
      return unpaid(offer, 'payment_reused', claimDetail(outcome.claimText));
    case 'refused': {
      const { stage, reason } = outcome;
      const code = refusalCode(stage, reason);
      const detail = `The payment could not be ${stage === 'verify' ? 'verified' : 'settled'}: ${reason}.`;
      if (stage === 'verify') return unpaid(offer, code, detail);
      const { from: payer } = payment.transfer.authorization;
      const { network } = offer.terms;
      const failure = { success: false, errorReason: reason, payer, transaction: '', network };
      return unpaid(offer, code, detail, { ...receiptHeader(offer, payment, failure), ...receipt });
    }
    case 'unavailable':
      return new Problem('payments_unavailable', {
        detail: 'The facilitator that verifies and settles payments is unavailable.',
        headers: { 'Retry-After': PRESENT_AGAIN_S, ...receipt },
      });
    case 'unsettled':
      return new Problem('payment_unsettled', { headers: { 'Retry-After': PRESENT_AGAIN_S, ...receipt } });
  }
}

/** Problem codes by reason, of facilitators and of the local checks. */
const CODES_BY_REASON: readonly (readonly [pattern: RegExp, code: ProblemCode])[] = [
  [/^expired$|valid_before$/, 'payment_expired'],
  [/^not_valid_yet$|^valid_too_long$|valid_after$/, 'payment_validity_wrong'],
  [/signature/, 'payment_signature_invalid'],
  [/insufficient_(balance|funds)$/, 'payment_funds_missing'],
  [/^spent$|nonce_already_used$/, 'payment_reused'],
  [/recipient_mismatch$/, 'payment_payee_wrong'],
  [/network/, 'payment_network_wrong'],
  [/value/, 'payment_amount_wrong'],
];

/** The code for a refusal. An unknown reason has the code of its stage. */
function refusalCode(stage: 'verify' | 'settle', reason: string): ProblemCode {
  const known = CODES_BY_REASON.find(([pattern]) => pattern.test(reason));
  return known?.[1] ?? (stage === 'verify' ? 'payment_refused' : 'payment_failed');
}

type Settled = PaymentReceipt & { readonly success: boolean; readonly errorReason?: string };

/** The result of a settlement, in the client's version of x402. */
function receiptHeader({ terms, v1Network }: Offer, { version }: PresentedPayment, settled: Settled) {
  if (version === 2) {
    return { 'PAYMENT-RESPONSE': encodePaymentResponseHeader({ ...settled, network: terms.network }) };
  }
  const encoded = { ...settled, network: v1Network };
  return { 'X-PAYMENT-RESPONSE': Buffer.from(JSON.stringify(encoded), 'utf8').toString('base64') };
}
