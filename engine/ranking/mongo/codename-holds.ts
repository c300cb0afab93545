import { codenameKey } from '../../contract/signing/index.ts';
import type { Collections } from './collections.ts';
import { DURABLE } from './durability.ts';
import { isDuplicateKey } from './store-errors.ts';

/**
 * Codenames that are kept for somebody for a while. Whoever wants a codename takes its hold first, so that one that is
 * being given up and one that is being taken meet here, in one document.
 */
export function createCodenameHolds({ codenameHolds }: Collections) {
  return {
    /** Holds a codename until then, unless another holder's time has not ended. */
    async take(codename: string, holder: string, now: Date, until: Date): Promise<boolean> {
      const free = { _id: codenameKey(codename), $or: [{ holder }, { until: { $lte: now } }] };
      try {
        await codenameHolds.updateOne(free, { $set: { holder, until } }, { upsert: true, ...DURABLE });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },

    async release(codename: string, holder: string): Promise<void> {
      await codenameHolds.deleteOne({ _id: codenameKey(codename), holder }, DURABLE);
    },

    /** Frees a codename, whoever holds it; false when nobody does. */
    async free(codename: string): Promise<boolean> {
      return (await codenameHolds.deleteOne({ _id: codenameKey(codename) }, DURABLE)).deletedCount === 1;
    },

    /** What a holder holds, and until when (milliseconds since the epoch). */
    async of(holder: string): Promise<{ codename: string; until: number }[]> {
      const found = await codenameHolds.find({ holder }).sort({ until: 1 }).toArray();
      return found.map(({ _id, until }) => ({ codename: _id, until: until.getTime() }));
    },

    /** Forgets what a holder holds. */
    async releaseAll(holder: string): Promise<void> {
      await codenameHolds.deleteMany({ holder }, DURABLE);
    },
  };
}
