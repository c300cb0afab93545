import type { Collections } from './collections.ts';
import type { VerdictDocument } from './documents.ts';
import { DURABLE } from './durability.ts';

/** Verdict operations of repair and retention. */
export function createVerdictRepairs({ verdicts }: Pick<Collections, 'verdicts'>) {
  return {
    /** Changes the verdict of entries of a decided batch to the refusal `entry_voided`. */
    async void(batch: string, entries: readonly string[], detail: string): Promise<void> {
      const literal = { $literal: [...entries] };
      const others = { $filter: { input: '$refused', as: 'one', cond: { $not: [{ $in: ['$$one.entry', literal] }] } } };
      const refused = entries.map((entry) => ({ entry, reason: 'entry_voided', detail }));
      const unchanged = { $filter: { input: '$unchanged', as: 'one', cond: { $not: [{ $in: ['$$one', literal] }] } } };
      const set = { refused: { $concatArrays: [others, { $literal: refused }] }, unchanged };
      await verdicts.updateOne({ _id: batch }, [{ $set: set }], DURABLE);
    },

    /** Verdict documents by batch; batches without verdicts are absent. */
    async ofBatches(batches: readonly string[]): Promise<ReadonlyMap<string, VerdictDocument>> {
      const options = { batchSize: batches.length + 1 };
      const found = await verdicts.find({ _id: { $in: [...batches] } }, options).toArray();
      return new Map(found.map((document) => [document._id, document]));
    },

    /** Batches decided at or after a time. */
    async decidedSince(at: Date): Promise<readonly string[]> {
      const found = await verdicts.find({ decided_at: { $gte: at } }, { projection: { _id: 1 } }).toArray();
      return found.map(({ _id }) => _id);
    },

    async remove(batches: readonly string[]): Promise<void> {
      await verdicts.deleteMany({ _id: { $in: [...batches] } }, DURABLE);
    },
  };
}
