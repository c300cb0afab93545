import { DURABLE, insertUnlessTaken } from '../../mongo/index.ts';
import type { BillingEventDocument, Collections } from './collections.ts';

/** What is kept of an event of Stripe's. Times are milliseconds since the epoch. */
export interface BillingEvent {
  readonly id: string;
  readonly type: string;
  /** Stripe's name of the object it is about. */
  readonly object: string;
  readonly customer: string | null;
  readonly createdAt: number;
}

/** From `from` until before `to`, in milliseconds since the epoch. */
interface Period {
  readonly from: number;
  readonly to: number;
}

export type EventStore = ReturnType<typeof createEventStore>;

/** Events that wait for a job at once: more are found the next time. */
const MAX_WAITING = 500;

/** The events that came, each once. */
export function createEventStore({ events }: Pick<Collections, 'events'>) {
  return {
    /** False when it is known. */
    insert({ id, createdAt, ...event }: BillingEvent, now: number): Promise<boolean> {
      const times = { created_at: new Date(createdAt), received_at: new Date(now), applied_at: null };
      return insertUnlessTaken(() => events.insertOne({ _id: id, ...event, ...times }, DURABLE));
    },

    async find(id: string): Promise<(BillingEvent & { readonly applied: boolean }) | null> {
      const found = await events.findOne({ _id: id });
      return found === null ? null : { ...toEvent(found), applied: found.applied_at !== null };
    },

    /** False when it was applied before. */
    async applied(id: string, now: number): Promise<boolean> {
      const open = { _id: id, applied_at: null };
      return (await events.updateOne(open, { $set: { applied_at: new Date(now) } }, DURABLE)).matchedCount === 1;
    },

    /** Those that came in a period and were not applied: how many they are, and the names of the oldest. */
    async waiting({ from, to }: Period): Promise<{ readonly count: number; readonly oldest: readonly string[] }> {
      const open = { applied_at: null, received_at: { $gte: new Date(from), $lt: new Date(to) } };
      const found = events
        .find(open, { projection: { _id: 1 } })
        .sort({ received_at: 1 })
        .limit(MAX_WAITING);
      const [count, oldest] = await Promise.all([events.countDocuments(open), found.toArray()]);
      return { count, oldest: oldest.map(({ _id }) => _id) };
    },

    /** Deletes what was applied before a moment, and what came before it and never could be. */
    async sweep(before: number): Promise<void> {
      const old = { $lt: new Date(before) };
      await events.deleteMany({ $or: [{ applied_at: old }, { applied_at: null, received_at: old }] });
    },
  };
}

function toEvent({ _id, type, object, customer, created_at }: BillingEventDocument): BillingEvent {
  return { id: _id, type, object, customer, createdAt: created_at.getTime() };
}
