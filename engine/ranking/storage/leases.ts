import { CLOCKS_DIFFER_MS } from '../clocks.ts';
import type { Collections } from './collections.ts';
import { isDuplicateKey } from './store-errors.ts';

/** Leases avoid duplicate work; correctness does not depend on them. */
export function createLeases({ leases }: Collections) {
  return {
    /**
     * Acquires or renews a lease until `until`; false while another holder's lease is valid. A lease that ends later than any
     * process could have set counts as expired.
     */
    async acquire(name: string, holder: string, now: Date, until: Date): Promise<boolean> {
      try {
        const implausible = new Date(until.getTime() + CLOCKS_DIFFER_MS);
        const filter = { _id: name, $or: [{ holder }, { until: { $lt: now } }, { until: { $gt: implausible } }] };
        const { matchedCount, upsertedCount } = await leases.updateOne(
          filter,
          { $set: { holder, until } },
          { upsert: true },
        );
        return matchedCount + upsertedCount > 0;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },

    async release(name: string, holder: string): Promise<void> {
      await leases.deleteOne({ _id: name, holder });
    },
  };
}
