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

    /** Those that came before a moment and were not applied, the oldest first. */
    async waiting(before: number): Promise<readonly string[]> {
      const open = { applied_at: null, received_at: { $lt: new Date(before) } };
      const found = events
        .find(open, { projection: { _id: 1 } })
        .sort({ received_at: 1 })
        .limit(MAX_WAITING);
      return (await found.toArray()).map(({ _id }) => _id);
    },

    /** Deletes what was applied before a moment. */
    async sweep(before: number): Promise<void> {
      await events.deleteMany({ applied_at: { $lt: new Date(before) } });
    },
  };
}

function toEvent({ _id, type, object, customer, created_at }: BillingEventDocument): BillingEvent {
  return { id: _id, type, object, customer, createdAt: created_at.getTime() };
}
