import type { Collections } from './collections.ts';
import type { ChangeListDocument } from './documents.ts';
import { DURABLE } from './durability.ts';
import { timedName } from './unique-id.ts';

/** A list that no commit takes yet. */
export interface HeldList {
  readonly id: string;
  readonly operators: readonly number[];
}

/** Where a list came from, so that logs and traces can be followed to the board. */
export interface ListOrigin {
  /** The group of the log whose folds changed the operators. */
  readonly group?: string;
  /** The trace of the work that changed them. */
  readonly trace?: string | undefined;
}

/** Lists of operators to look at at the next commit. A list is forgotten only once a board that saw it is published. */
export function createChangeLists({ changeLists }: Collections) {
  async function add(operators: readonly number[], at: number, { group, trace }: ListOrigin = {}): Promise<void> {
    if (operators.length === 0) return;
    const list = { _id: timedName(at), operators: [...operators] };
    const origin = { ...(group === undefined ? {} : { group }), ...(trace === undefined ? {} : { trace }) };
    await changeLists.insertOne({ ...list, ...origin }, DURABLE);
  }

  return {
    add,

    /**
     * Announces operators whose records are about to be written, for writes that nothing repeats after a crash. Release the
     * list once they are written; one whose writer died is released by `releaseAbandoned`.
     */
    async hold(operators: readonly number[], at: number): Promise<HeldList> {
      const id = timedName(at);
      await changeLists.insertOne({ _id: id, operators: [...operators], held_at: new Date(at) }, DURABLE);
      return { id, operators };
    },

    /**
     * Gives a list to the next commit. One that was taken for abandoned may have been read and forgotten before the writes
     * it announced were made, so its operators are listed anew.
     */
    async release({ id, operators }: HeldList, at: number): Promise<void> {
      const filter = { _id: id, held_at: { $exists: true } };
      const { matchedCount } = await changeLists.updateOne(filter, { $unset: { held_at: true } }, DURABLE);
      if (matchedCount === 0) await add(operators, at);
    },

    /** Gives lists held before one moment, or after another that is still to come, to the next commit. */
    async releaseAbandoned(heldBefore: Date, heldAfter: Date): Promise<void> {
      const abandoned = { $or: [{ held_at: { $lt: heldBefore } }, { held_at: { $gt: heldAfter } }] };
      await changeLists.updateMany(abandoned, { $unset: { held_at: true } }, DURABLE);
    },

    async anyHeld(): Promise<boolean> {
      return (await changeLists.findOne({ held_at: { $exists: true } }, { projection: { _id: 1 } })) !== null;
    },

    /** Those of the operators that a list for the next commits names. */
    async announced(operators: readonly number[]): Promise<ReadonlySet<number>> {
      const naming = { held_at: { $exists: false }, operators: { $in: [...operators] } };
      return new Set(await changeLists.distinct('operators', naming));
    },

    /** All lists, held ones too, at most `limit`. */
    async all(limit: number): Promise<ChangeListDocument[]> {
      return changeLists.find({}, { limit }).toArray();
    },

    /** The oldest lists that are not held, at most `limit`. */
    async oldest(limit: number): Promise<ChangeListDocument[]> {
      return changeLists.find({ held_at: { $exists: false } }, { sort: { _id: 1 }, limit }).toArray();
    },

    async forget(lists: readonly ChangeListDocument[]): Promise<void> {
      if (lists.length > 0) await changeLists.deleteMany({ _id: { $in: lists.map(({ _id }) => _id) } });
    },
  };
}
