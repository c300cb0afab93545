import { codenameKey } from '../../contract/signing/index.ts';
import {
  type Connection,
  type DocumentOf,
  defineStored,
  ensureStored,
  insertUnlessTaken,
  type Model,
  openStored,
  required,
} from '../../mongo/index.ts';

const CODENAME_HOLDS = defineStored(
  'codename_holds',
  {
    /** The codename, or the keyed hash of an erased operator's. */
    _id: required(String),
    holder: required(String),
    until: required(Date),
  },
  [{ holder: 1 }],
  [{ until: 1 }],
);

/** Holder id of erased operators' codenames. */
const ERASED = 'erased';

/** Returns the hold id of an erased operator's codename: its keyed hash, with a first character that no codename has. */
export type ErasedHoldId = (codename: string) => Promise<string>;

/**
 * Codenames reserved for one holder for a limited time. A codename is taken only through its hold, so that releasing and
 * taking it conflict in one document. An erased operator's codename is stored only as its keyed hash.
 */
export function createCodenameHolds(connection: Connection, erasedHoldId: ErasedHoldId) {
  const codenameHolds = openStored(connection, CODENAME_HOLDS);

  /** Releases a codename unless its holder has extended the hold beyond `until`. */
  async function release(codename: string, holder: string, until: Date): Promise<void> {
    await codenameHolds.deleteOne({ _id: codenameKey(codename), holder, until: { $lte: until } });
  }

  /** A holder's codenames with the end of each hold (milliseconds since the epoch), ordered by that. */
  async function of(holder: string): Promise<{ codename: string; until: number }[]> {
    const found = codenameHolds.find({ holder }).sort({ until: 1 });
    return (await found.lean()).map(({ _id, until }) => ({ codename: _id, until: until.getTime() }));
  }

  async function holdErased(codename: string, until: Date): Promise<void> {
    const _id = await erasedHoldId(codename);
    await codenameHolds.updateOne({ _id }, { $set: { holder: ERASED }, $max: { until } }, { upsert: true });
  }

  return {
    ensureIndexes: () => ensureStored([codenameHolds]),
    of,
    release,
    holdErased,

    /** Holds a codename at least until `until`; false while another holder or an erased operator has it. */
    async take(codename: string, holder: string, now: Date, until: Date): Promise<boolean> {
      const free = { _id: codenameKey(codename), $or: [{ holder }, { until: { $lte: now } }] };
      const update = { $set: { holder }, $max: { until } };
      const held =
        (await insertUnlessTaken(() => codenameHolds.updateOne(free, update, { upsert: true }))) ||
        // A concurrent call of the same holder may have inserted the hold.
        (await codenameHolds.updateOne(free, update)).matchedCount === 1;
      if (!held) return false;
      if (!(await isHeld(codenameHolds, [await erasedHoldId(codename)], null, now))) return true;
      await release(codename, holder, until);
      return false;
    },

    /** Whether a codename is held for an erased operator, or for another holder than this one (null: for any). */
    isHeldFrom: async (holder: string | null, codename: string, now: number) =>
      isHeld(codenameHolds, [codenameKey(codename), await erasedHoldId(codename)], holder, new Date(now)),

    /** Deletes every hold of a codename; false when there was none. */
    async free(codename: string): Promise<boolean> {
      const _id = { $in: [codenameKey(codename), await erasedHoldId(codename)] };
      return (await codenameHolds.deleteMany({ _id })).deletedCount > 0;
    },

    /** Releases a holder's other codenames except for the `most` that end last. */
    async keepLast(holder: string, codename: string, now: number, most: number): Promise<void> {
      const held = (await of(holder)).filter((hold) => hold.codename !== codenameKey(codename) && hold.until > now);
      for (const hold of held.slice(0, Math.max(0, held.length - most))) {
        await release(hold.codename, holder, new Date(hold.until));
      }
    },

    /** Replaces an erased operator's holds by ones under the keyed hashes, with the same ends. */
    async eraseOf(holder: string, now: number): Promise<void> {
      for (const { codename, until } of await of(holder)) {
        if (until > now) await holdErased(codename, new Date(until));
      }
      await codenameHolds.deleteMany({ holder });
    },

    /** Deletes expired holds; returns their count. */
    removeExpired: async (now: Date) => (await codenameHolds.deleteMany({ until: { $lte: now } })).deletedCount,
  };
}

/** Whether one of the holds exists for another than `except`. */
async function isHeld(
  codenameHolds: Model<DocumentOf<typeof CODENAME_HOLDS>>,
  ids: string[],
  except: string | null,
  now: Date,
): Promise<boolean> {
  const held = { _id: { $in: ids }, until: { $gt: now }, ...(except !== null && { holder: { $ne: except } }) };
  return (await codenameHolds.exists(held)) !== null;
}
