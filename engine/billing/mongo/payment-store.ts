import { DURABLE, insertUnlessTaken } from '../../mongo/index.ts';
import type { Payment, Payments } from '../payments/payment.ts';
import type { Collections, PaymentDocument } from './collections.ts';

/** Payments fetched per command while streaming. */
const BATCH_SIZE = 500;

export interface PaymentStore extends Omit<Payments, 'record'> {
  /** False when this payment is recorded already. */
  insert(payment: Payment): Promise<boolean>;
}

/** Payment records. The unique id keeps a payment from being counted twice. */
export function createPaymentStore({ payments }: Pick<Collections, 'payments'>): PaymentStore {
  return {
    insert({ provider, kind, id, occurredAt, references, ...rest }) {
      const _id = { provider, kind, id };
      const document = { _id, ...rest, occurred_at: new Date(occurredAt), references: { ...references } };
      return insertUnlessTaken(() => payments.insertOne(document, DURABLE));
    },

    async find(provider, kind, id) {
      const found = await payments.findOne({ _id: { provider, kind, id } });
      return found === null ? null : toPayment(found);
    },

    async ofSubject(subject, limit) {
      const found = payments.find({ subject }).sort({ occurred_at: -1, _id: -1 }).limit(limit);
      return (await found.toArray()).map(toPayment);
    },

    async *stream({ from, to }) {
      const period = { occurred_at: { $gte: new Date(from), $lt: new Date(to) } };
      const cursor = payments.find(period).sort({ occurred_at: 1, _id: 1 }).batchSize(BATCH_SIZE);
      try {
        for await (const document of cursor) yield toPayment(document);
      } finally {
        await cursor.close();
      }
    },

    async forget(subject) {
      await payments.updateMany({ subject }, { $set: { subject: null } }, DURABLE);
    },
  };
}

function toPayment({ _id, occurred_at, references, amount, currency, asset, subject }: PaymentDocument): Payment {
  return { ..._id, amount, currency, asset, subject, occurredAt: occurred_at.getTime(), references };
}
