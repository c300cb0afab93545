import * as z from 'zod';
import type { PurchaseOrder } from '../../engine/billing/index.ts';
import type { ProblemCode } from '../../engine/contract/index.ts';
import { Problem } from '../http/problem.ts';
import { parseStrictJson } from '../http/strict-json.ts';
import type { Offer } from './offers.ts';

/** Characters of a client's value that are repeated in a detail. */
const SHOWN_LENGTH = 80;

/** A presented payment. Version 2 repeats the accepted offer, which is compared with the current one. */
export type PresentedPayment = NonNullable<ReturnType<typeof readPayment>>;

/** Characters of the longest payment, and the maximum depth of its JSON. */
const MAX_PAYMENT_LENGTH = 8_192;
const MAX_PAYMENT_DEPTH = 12;

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const whole = z.string().regex(/^\d{1,78}$/);
const word = z.string().min(1).max(256);

const SIGNATURE = /^0x([0-9a-fA-F]{2}){65,2048}$/;

const TRANSFER = z.object({
  signature: z.string().regex(SIGNATURE),
  authorization: z.object({
    from: address,
    to: address,
    value: whole,
    validAfter: whole,
    validBefore: whole,
    nonce: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  }),
});

const VERSION_1 = z.object({ x402Version: z.literal(1), scheme: word, network: word, payload: TRANSFER });

const VERSION_2 = z.object({
  x402Version: z.literal(2),
  accepted: z.object({ scheme: word, network: word, asset: word, amount: whole, payTo: word }),
  payload: TRANSFER,
});

/** The payment that a request presents; null when it presents none. @throws Problem payment_malformed. */
export function readPayment(header: (name: string) => string | undefined) {
  const second = header('payment-signature');
  const first = header('x-payment');
  if (second !== undefined && first !== undefined) throw malformed('Two payments are presented.');
  if (second !== undefined) {
    const { accepted, payload } = parse(VERSION_2, second, 'PAYMENT-SIGNATURE');
    const { scheme, network, ...rest } = accepted;
    return { version: 2, scheme, network, accepted: rest, transfer: payload } as const;
  }
  if (first === undefined) return null;
  const { scheme, network, payload } = parse(VERSION_1, first, 'X-PAYMENT');
  return { version: 1, scheme, network, transfer: payload } as const;
}

/** Reads the proof that a request which repeats a payment comes from the payer. @throws Problem payment_malformed. */
export function readRepeatProof(
  header: (name: string) => string | undefined,
): Pick<PurchaseOrder, 'answerReceipt' | 'claim'> {
  const claim = header('answer-claim') ?? null;
  if (claim !== null && !SIGNATURE.test(claim))
    throw malformed('Answer-Claim is not a signature: 0x and hexadecimal digits.');
  return { answerReceipt: header('answer-receipt') ?? null, claim };
}

function parse<S extends z.ZodType>(schema: S, value: string, name: string): z.output<S> {
  if (value.length > MAX_PAYMENT_LENGTH) throw malformed(`${name} is longer than ${MAX_PAYMENT_LENGTH} characters.`);
  if (!BASE64.test(value)) throw malformed(`${name} is not Base64.`);
  const parsed = schema.safeParse(parseJson(value, name));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw malformed(`${name} has no usable ${issue?.path.join('.') || 'members'}.`);
}

function parseJson(value: string, name: string): unknown {
  try {
    return parseStrictJson(Buffer.from(value, 'base64'), MAX_PAYMENT_DEPTH);
  } catch (error) {
    if (error instanceof Problem) throw malformed(`${name} does not hold JSON: ${error.message}`);
    throw error;
  }
}

function malformed(detail: string): Problem {
  return new Problem('payment_malformed', { detail });
}

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

function mismatch(code: ProblemCode, what: string, given: string, wanted: string) {
  return { code, detail: `The ${what} is ${given.slice(0, SHOWN_LENGTH)}, and should be ${wanted}.` };
}

/** Addresses are compared without their checksum. */
function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
