import { insertUnlessTaken } from '../../mongo/index.ts';
import type { BillingEventDocument, BillingModels } from './models.ts';

/** The stored part of a Stripe event. Times are milliseconds since the epoch. */
export type BillingEvent = ReturnType<typeof toEvent>;

/** Events returned at once: the next run finds more. */
const MAX_WAITING = 500;

/** Received events, each once. */
export function createEventStore({ events }: Pick<BillingModels, 'events'>) {
  return {
    /** False when the event is stored already. */
    insert({ id, createdAt, ...event }: BillingEvent, now: number): Promise<boolean> {
      const times = { created_at: new Date(createdAt), received_at: new Date(now), applied_at: null };
      return insertUnlessTaken(() => events.insertOne({ _id: id, ...event, ...times }));
    },

    async find(id: string): Promise<(BillingEvent & { readonly applied: boolean }) | null> {
      const found = await events.findOne({ _id: id }).lean();
      return found === null ? null : { ...toEvent(found), applied: found.applied_at !== null };
    },

    /** Marks an event as applied; false when it was applied before. */
    async applied(id: string, now: number): Promise<boolean> {
      const open = { _id: id, applied_at: null };
      return (await events.updateOne(open, { $set: { applied_at: new Date(now) } })).matchedCount === 1;
    },

    /** Number and oldest ids of the events received in [from, to), in milliseconds since the epoch, and not applied. */
    async waiting({ from, to }: Readonly<Record<'from' | 'to', number>>) {
      const open = { applied_at: null, received_at: { $gte: new Date(from), $lt: new Date(to) } };
      const found = events.find(open, { _id: 1 }).sort({ received_at: 1 }).limit(MAX_WAITING);
      const [count, oldest] = await Promise.all([events.countDocuments(open), found.lean()]);
      return { count, oldest: oldest.map(({ _id }) => _id) };
    },

    /** Deletes events applied, or received and never applied, before a time. */
    async deleteOld(before: number): Promise<void> {
      const old = { $lt: new Date(before) };
      await events.deleteMany({ $or: [{ applied_at: old }, { applied_at: null, received_at: old }] });
    },
  };
}

function toEvent({ _id, type, object, customer, created_at }: BillingEventDocument) {
  return { id: _id, type, object, customer, createdAt: created_at.getTime() };
}
