import { insertUnlessTaken } from '../mongo/index.ts';
import type { BillingModels, PaymentDocument } from './mongo/models.ts';
import type { Payment, PaymentKind, PaymentProvider } from './types.ts';

/** A payment to record: omitted members are null or empty. */
export type NewPayment = Omit<Payment, 'asset' | 'subject' | 'references'> &
  Partial<Pick<Payment, 'asset' | 'subject' | 'references'>>;

/** From `from` inclusive to `to` exclusive, in milliseconds since the epoch. */
export interface PaymentPeriod {
  readonly from: number;
  readonly to: number;
}

const CURRENCY = /^[a-z]{3,12}$/;

/** Characters of the longest id, asset or reference. */
const MAX_TEXT_LENGTH = 256;
const MAX_REFERENCES = 12;

/** Payments fetched per command while streaming. */
const BATCH_SIZE = 500;

export type Payments = ReturnType<typeof createPayments>;

/** Payment records, for accounting. They are append-only, except that an erasure clears the subject. */
export function createPayments({ payments }: Pick<BillingModels, 'payments'>) {
  return {
    /**
     * Records a payment durably. The first recording of a payment counts; false for further ones.
     * @throws RangeError when the amount is not a safe integer, or the currency or a text is out of bounds.
     */
    async record(payment: NewPayment): Promise<boolean> {
      const { provider, kind, id, occurredAt, references, ...rest } = completed(payment);
      // The unique id keeps a payment from being counted twice.
      const _id = { provider, kind, id };
      const document = { _id, ...rest, occurred_at: new Date(occurredAt), references: { ...references } };
      return insertUnlessTaken(() => payments.insertOne(document));
    },

    async find(provider: PaymentProvider, kind: PaymentKind, id: string): Promise<Payment | null> {
      const found = await payments.findOne({ _id: { provider, kind, id } }).lean();
      return found === null ? null : toPayment(found);
    },

    /** The newest payments of an account, at most `limit`. */
    async ofSubject(subject: string, limit: number): Promise<readonly Payment[]> {
      const found = payments.find({ subject }).sort({ occurred_at: -1, _id: -1 }).limit(limit);
      return (await found.lean()).map(toPayment);
    },

    /** Every payment of a period, oldest first, in batches. */
    async *stream({ from, to }: PaymentPeriod): AsyncIterable<Payment> {
      const period = { occurred_at: { $gte: new Date(from), $lt: new Date(to) } };
      const cursor = payments.find(period).sort({ occurred_at: 1, _id: 1 }).batchSize(BATCH_SIZE).lean().cursor();
      try {
        for await (const document of cursor) yield toPayment(document);
      } finally {
        await cursor.close();
      }
    },

    /** Clears the subject of an account's payments. Safe to repeat. */
    async forget(subject: string): Promise<void> {
      await payments.updateMany({ subject }, { $set: { subject: null } });
    },
  };
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

function toPayment({ _id, occurred_at, references, amount, currency, asset, subject }: PaymentDocument): Payment {
  return { ..._id, amount, currency, asset, subject, occurredAt: occurred_at.getTime(), references };
}
