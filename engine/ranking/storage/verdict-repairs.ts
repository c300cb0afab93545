import type { Collections } from './collections.ts';
import type { VerdictDocument } from './documents.ts';
import { DURABLE } from './durability.ts';

/** What repair and retention do to verdicts. */
export function createVerdictRepairs({ verdicts }: Pick<Collections, 'verdicts'>) {
  return {
    /** Refuses entries of a decided group as `entry_voided`, whatever their verdict was. */
    async void(batch: string, entries: readonly string[], detail: string): Promise<void> {
      const literal = { $literal: [...entries] };
      const others = { $filter: { input: '$refused', as: 'one', cond: { $not: [{ $in: ['$$one.entry', literal] }] } } };
      const refused = entries.map((entry) => ({ entry, reason: 'entry_voided', detail }));
      const unchanged = { $filter: { input: '$unchanged', as: 'one', cond: { $not: [{ $in: ['$$one', literal] }] } } };
      const set = { refused: { $concatArrays: [others, { $literal: refused }] }, unchanged };
      await verdicts.updateOne({ _id: batch }, [{ $set: set }], DURABLE);
    },

    /** Verdict documents of groups, by group; those without a verdict are absent. */
    async ofBatches(batches: readonly string[]): Promise<ReadonlyMap<string, VerdictDocument>> {
      const options = { batchSize: batches.length + 1 };
      const found = await verdicts.find({ _id: { $in: [...batches] } }, options).toArray();
      return new Map(found.map((document) => [document._id, document]));
    },

    /** Groups decided at or after a moment. */
    async decidedSince(at: Date): Promise<readonly string[]> {
      const found = await verdicts.find({ decided_at: { $gte: at } }, { projection: { _id: 1 } }).toArray();
      return found.map(({ _id }) => _id);
    },

    /** Forgets the verdicts of groups. */
    async forget(batches: readonly string[]): Promise<void> {
      await verdicts.deleteMany({ _id: { $in: [...batches] } }, DURABLE);
    },
  };
}
