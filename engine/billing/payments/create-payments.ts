import type { PaymentStore } from '../mongo/payment-store.ts';
import type { NewPayment, Payment, Payments } from './payment.ts';

const CURRENCY = /^[a-z]{3,12}$/;

/** Characters of the longest id, asset or reference. */
const MAX_TEXT_LENGTH = 256;
const MAX_REFERENCES = 12;

export function createPayments(store: PaymentStore): Payments {
  return { ...store, record: async (payment) => store.insert(completed(payment)) };
}

function completed(given: NewPayment): Payment {
  const payment: Payment = { asset: null, subject: null, references: {}, ...given };
  const { amount, currency, occurredAt, references } = payment;
  if (!Number.isSafeInteger(amount)) throw new RangeError(`a payment's amount is not a whole number: ${amount}`);
  if (!Number.isSafeInteger(occurredAt)) throw new RangeError(`a payment's time is not a whole number: ${occurredAt}`);
  if (!CURRENCY.test(currency)) throw new RangeError(`not a currency: ${JSON.stringify(currency)}`);
  const pairs = Object.entries(references);
  const texts = [payment.id, payment.asset, payment.subject, ...pairs.flat()];
  if (
    payment.id === '' ||
    pairs.length > MAX_REFERENCES ||
    texts.some((text) => (text?.length ?? 0) > MAX_TEXT_LENGTH)
  ) {
    throw new RangeError('an id or reference of a payment is empty or too long');
  }
  return payment;
}
