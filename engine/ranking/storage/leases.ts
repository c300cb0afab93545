import type { mongo } from 'mongoose';
import { insertUnlessTaken } from '../../mongo/index.ts';

/**
 * Upper bound for the clock difference between processes, in milliseconds. A time further in the future comes from a clock
 * that was set back since; waiting for it would block all processes until then.
 */
export const CLOCKS_DIFFER_MS = 60_000;

export interface LeaseDocument {
  _id: string;
  holder: string;
  until: Date;
}

/** Leases avoid duplicate work; correctness does not depend on them. */
export function createLeases(db: mongo.Db) {
  const leases = db.collection<LeaseDocument>('leases');

  return {
    /** False while another holder's lease is valid. One that ends later than any process could have set counts as expired. */
    async acquire(name: string, holder: string, now: Date, until: Date): Promise<boolean> {
      const implausible = new Date(until.getTime() + CLOCKS_DIFFER_MS);
      const filter = { _id: name, $or: [{ holder }, { until: { $lt: now } }, { until: { $gt: implausible } }] };
      return insertUnlessTaken(() => leases.updateOne(filter, { $set: { holder, until } }, { upsert: true }));
    },

    /** Renews a lease until `until`; false when another holder has acquired it since, even if it was released again. */
    async renew(name: string, holder: string, until: Date): Promise<boolean> {
      return (await leases.updateOne({ _id: name, holder }, { $set: { until } })).matchedCount === 1;
    },

    async release(name: string, holder: string): Promise<void> {
      await leases.deleteOne({ _id: name, holder });
    },
  };
}
