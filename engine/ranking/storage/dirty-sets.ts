import type { Collections } from './collections.ts';
import type { DirtySetDocument } from './documents.ts';
import { DURABLE } from './durability.ts';
import { timeOrderedId } from './unique-id.ts';

/** A list that no commit takes yet. */
export interface WriteIntent {
  readonly id: string;
  readonly operators: readonly number[];
}

/** Where a list came from, so that logs and traces can be followed to the board. */
export interface ChangeOrigin {
  /** The group of the log whose folds changed the operators. */
  readonly batch?: string;
  /** The trace of the work that changed them. */
  readonly trace?: string | undefined;
}

/** Lists of operators to look at at the next commit. A list is forgotten only once a board that saw it is published. */
export function createDirtySets({ dirtySets }: Collections) {
  async function add(operators: readonly number[], at: number, { batch, trace }: ChangeOrigin = {}): Promise<void> {
    if (operators.length === 0) return;
    const list = { _id: timeOrderedId(at), operators: [...operators] };
    const origin = { ...(batch === undefined ? {} : { batch }), ...(trace === undefined ? {} : { trace }) };
    await dirtySets.insertOne({ ...list, ...origin }, DURABLE);
  }

  return {
    add,

    /**
     * Announces operators whose records are about to be written, for writes that nothing repeats after a crash. Release the
     * list once they are written; one whose writer died is released by `commitAbandoned`.
     */
    async hold(operators: readonly number[], at: number): Promise<WriteIntent> {
      const id = timeOrderedId(at);
      await dirtySets.insertOne({ _id: id, operators: [...operators], prepared_at: new Date(at) }, DURABLE);
      return { id, operators };
    },

    /**
     * Gives a list to the next commit. One that was taken for abandoned may have been read and forgotten before the writes
     * it announced were made, so its operators are listed anew.
     */
    async release({ id, operators }: WriteIntent, at: number): Promise<void> {
      const filter = { _id: id, prepared_at: { $exists: true } };
      const { matchedCount } = await dirtySets.updateOne(filter, { $unset: { prepared_at: true } }, DURABLE);
      if (matchedCount === 0) await add(operators, at);
    },

    /** Gives lists held before one moment, or after another that is still to come, to the next commit. */
    async commitAbandoned(preparedBefore: Date, preparedAfter: Date): Promise<void> {
      const abandoned = { $or: [{ prepared_at: { $lt: preparedBefore } }, { prepared_at: { $gt: preparedAfter } }] };
      await dirtySets.updateMany(abandoned, { $unset: { prepared_at: true } }, DURABLE);
    },

    async anyPrepared(): Promise<boolean> {
      return (await dirtySets.findOne({ prepared_at: { $exists: true } }, { projection: { _id: 1 } })) !== null;
    },

    /** Those of the operators that a list for the next commits names. */
    async announced(operators: readonly number[]): Promise<ReadonlySet<number>> {
      const naming = { prepared_at: { $exists: false }, operators: { $in: [...operators] } };
      return new Set(await dirtySets.distinct('operators', naming));
    },

    /** All lists, held ones too, at most `limit`. */
    async all(limit: number): Promise<DirtySetDocument[]> {
      return dirtySets.find({}, { limit }).toArray();
    },

    /** The oldest lists that are not held, at most `limit`. */
    async oldest(limit: number): Promise<DirtySetDocument[]> {
      return dirtySets.find({ prepared_at: { $exists: false } }, { sort: { _id: 1 }, limit }).toArray();
    },

    async forget(lists: readonly DirtySetDocument[]): Promise<void> {
      if (lists.length > 0) await dirtySets.deleteMany({ _id: { $in: lists.map(({ _id }) => _id) } });
    },
  };
}
