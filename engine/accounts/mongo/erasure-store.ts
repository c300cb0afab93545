import { DURABLE, insertUnlessTaken } from '../../mongo/index.ts';
import type { Erasure } from '../types.ts';
import type { Collections } from './collections.ts';

export type ErasureStore = ReturnType<typeof createErasureStore>;

/** Erased operators: a number and a hash, no personal data. */
export function createErasureStore({ erasures }: Collections) {
  return {
    /** Safe to repeat: the first call counts. */
    async begin({ operator, subject_hash, erased_at }: Erasure): Promise<void> {
      const document = { _id: operator, subject_hash, erased_at: new Date(erased_at) };
      await insertUnlessTaken(() => erasures.insertOne(document, DURABLE));
    },

    async finish(operator: number, at: Date): Promise<void> {
      await erasures.updateOne({ _id: operator }, { $set: { done_at: at } }, DURABLE);
    },

    /** The unfinished erasures, and those since a time, which may have to be repeated. */
    async open(since: Date): Promise<readonly Erasure[]> {
      const filter = { $or: [{ done_at: { $exists: false } }, { erased_at: { $gte: since } }] };
      return (await erasures.find(filter).sort({ _id: 1 }).toArray()).map(toErasure);
    },

    async list(): Promise<readonly Erasure[]> {
      return (await erasures.find().sort({ erased_at: 1, _id: 1 }).toArray()).map(toErasure);
    },
  };
}

function toErasure(document: { _id: number; subject_hash: string; erased_at: Date }): Erasure {
  const { _id, subject_hash, erased_at } = document;
  return { operator: _id, subject_hash, erased_at: erased_at.toISOString() };
}
