import { codenameKey } from '../../contract/signing/index.ts';
import type { Collections } from './collections.ts';
import { DURABLE } from './durability.ts';
import { isDuplicateKey } from './store-errors.ts';

/** The holder of codenames whose operators were erased. */
const ERASED = 'erased';

/** A keyed hash of a codename, as the id of its hold. No codename has its first character. */
export type ErasedHoldId = (codename: string) => Promise<string>;

/**
 * Codenames that are reserved for one holder for a while. A codename is taken only through its hold, so that giving it up
 * and taking it conflict in one document. An erased operator's codename is held only by its keyed hash.
 */
export function createCodenameHolds({ codenameHolds }: Collections, erasedHoldId: ErasedHoldId) {
  /** Frees a codename, unless its holder holds it for longer than until then. */
  async function release(codename: string, holder: string, until: Date): Promise<void> {
    await codenameHolds.deleteOne({ _id: codenameKey(codename), holder, until: { $lte: until } }, DURABLE);
  }

  /** What a holder holds, and until when (milliseconds since the epoch), the first to become free first. */
  async function of(holder: string): Promise<{ codename: string; until: number }[]> {
    const found = await codenameHolds.find({ holder }).sort({ until: 1 }).toArray();
    return found.map(({ _id, until }) => ({ codename: _id, until: until.getTime() }));
  }

  async function holdErased(codename: string, until: Date): Promise<void> {
    const update = { $set: { holder: ERASED }, $max: { until } };
    await codenameHolds.updateOne({ _id: await erasedHoldId(codename) }, update, { upsert: true, ...DURABLE });
  }

  return {
    of,
    release,
    holdErased,

    /** Holds a codename at least until then, unless the hold of another holder or of an erased operator has not ended. */
    async take(codename: string, holder: string, now: Date, until: Date): Promise<boolean> {
      const free = { _id: codenameKey(codename), $or: [{ holder }, { until: { $lte: now } }] };
      try {
        await codenameHolds.updateOne(free, { $set: { holder }, $max: { until } }, { upsert: true, ...DURABLE });
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
      const erased = { _id: await erasedHoldId(codename), until: { $gt: now } };
      if ((await codenameHolds.findOne(erased, { projection: { _id: 1 } })) === null) return true;
      await release(codename, holder, until);
      return false;
    },

    /** Frees a codename, whoever holds it; false when nobody does. */
    async free(codename: string): Promise<boolean> {
      const ids = [codenameKey(codename), await erasedHoldId(codename)];
      return (await codenameHolds.deleteMany({ _id: { $in: ids } }, DURABLE)).deletedCount > 0;
    },

    /** Frees what a holder held first, but for a codename and the `most` that end last. */
    async keepLast(holder: string, codename: string, now: number, most: number): Promise<void> {
      const held = (await of(holder)).filter((hold) => hold.codename !== codenameKey(codename) && hold.until > now);
      for (const hold of held.slice(0, Math.max(0, held.length - most))) {
        await release(hold.codename, holder, new Date(hold.until));
      }
    },

    /** Holds an erased operator's former codenames by their keyed hashes for what is left of their time. */
    async eraseOf(holder: string, now: number): Promise<void> {
      for (const { codename, until } of await of(holder)) {
        if (until > now) await holdErased(codename, new Date(until));
      }
      await codenameHolds.deleteMany({ holder }, DURABLE);
    },

    /** Deletes the holds whose time has ended; returns how many there were. */
    async sweep(now: Date): Promise<number> {
      return (await codenameHolds.deleteMany({ until: { $lte: now } }, DURABLE)).deletedCount;
    },
  };
}
