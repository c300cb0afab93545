import type { mongo } from 'mongoose';
import { DURABLE } from '../../mongo/index.ts';
import { timeOrderedId } from './unique-id.ts';

/** Dirty set: operators whose record or names may differ from the published board. */
export interface DirtySetDocument {
  _id: string;
  operators: number[];
  /** The batch that changed the operators; absent for other changes. */
  batch?: string;
  /** Trace of the work that changed them; absent without tracing. */
  trace?: string;
  /** Set while the set is a write intent: no commit consumes it, and the board's hour waits for it. */
  prepared_at?: Date;
}

/** A prepared dirty set, which no board commit consumes before it is committed. */
export interface WriteIntent {
  readonly id: string;
  readonly operators: readonly number[];
}

/** The origin of a dirty set, by which logs and traces are followed to the board. */
export type ChangeOrigin = Readonly<Partial<Record<'batch' | 'trace', string | undefined>>>;

/** Operators to recompute at the next board commit. A set is removed only after a board with its changes is published. */
export function createDirtySets(db: mongo.Db) {
  const dirtySets = db.collection<DirtySetDocument>('dirty_sets');

  async function add(operators: readonly number[], at: number, { batch, trace }: ChangeOrigin = {}): Promise<void> {
    if (operators.length === 0) return;
    const set = { _id: timeOrderedId(at), operators: [...operators] };
    const origin = { ...(batch === undefined ? {} : { batch }), ...(trace === undefined ? {} : { trace }) };
    await dirtySets.insertOne({ ...set, ...origin }, DURABLE);
  }

  return {
    add,

    /**
     * Prepares a write intent for operators whose records are about to be written by work that no job repeats. Commit it
     * after the writes; `commitAbandoned` commits those of crashed writers.
     */
    async prepare(operators: readonly number[], at: number): Promise<WriteIntent> {
      const id = timeOrderedId(at);
      await dirtySets.insertOne({ _id: id, operators: [...operators], prepared_at: new Date(at) }, DURABLE);
      return { id, operators };
    },

    /**
     * Commits an intent: the next board commit consumes the set. One that was committed as abandoned may have been consumed
     * before its writes, so its operators are marked dirty again.
     */
    async commit({ id, operators }: WriteIntent, at: number): Promise<void> {
      const filter = { _id: id, prepared_at: { $exists: true } };
      const { matchedCount } = await dirtySets.updateOne(filter, { $unset: { prepared_at: true } }, DURABLE);
      if (matchedCount === 0) await add(operators, at);
    },

    /** Commits intents prepared before one time, or after another that is still in the future. */
    async commitAbandoned(preparedBefore: Date, preparedAfter: Date): Promise<void> {
      const abandoned = { $or: [{ prepared_at: { $lt: preparedBefore } }, { prepared_at: { $gt: preparedAfter } }] };
      await dirtySets.updateMany(abandoned, { $unset: { prepared_at: true } }, DURABLE);
    },

    async anyPrepared(): Promise<boolean> {
      return (await dirtySets.findOne({ prepared_at: { $exists: true } }, { projection: { _id: 1 } })) !== null;
    },

    /** The operators that are in a dirty set, write intents included: an abandoned one is committed later. */
    async dirtyAmong(operators: readonly number[]): Promise<ReadonlySet<number>> {
      return new Set(await dirtySets.distinct('operators', { operators: { $in: [...operators] } }));
    },

    /** All sets, write intents included, at most `limit`. */
    async all(limit: number): Promise<DirtySetDocument[]> {
      return dirtySets.find({}, { limit }).toArray();
    },

    /** The oldest committed sets, at most `limit`. */
    async oldest(limit: number): Promise<DirtySetDocument[]> {
      return dirtySets.find({ prepared_at: { $exists: false } }, { sort: { _id: 1 }, limit }).toArray();
    },

    async remove(sets: readonly DirtySetDocument[]): Promise<void> {
      if (sets.length > 0) await dirtySets.deleteMany({ _id: { $in: sets.map(({ _id }) => _id) } });
    },
  };
}
