import type { Collections } from './collections.ts';
import type { ChangeListDocument } from './documents.ts';
import { DURABLE } from './durability.ts';
import { timedName } from './unique-id.ts';

export type ChangeLists = ReturnType<typeof createChangeLists>;

/** Lists of operators to look at at the next commit. A list is forgotten only once a board that saw it is published. */
export function createChangeLists({ changeLists }: Collections) {
  return {
    async add(operators: readonly number[], at: number): Promise<void> {
      if (operators.length > 0) await changeLists.insertOne({ _id: timedName(at), operators: [...operators] }, DURABLE);
    },

    /** The oldest lists, at most `limit`. */
    async oldest(limit: number): Promise<ChangeListDocument[]> {
      return changeLists.find({}, { sort: { _id: 1 }, limit }).toArray();
    },

    async forget(lists: readonly ChangeListDocument[]): Promise<void> {
      if (lists.length > 0) await changeLists.deleteMany({ _id: { $in: lists.map(({ _id }) => _id) } });
    },
  };
}
