import type { Collections } from './collections.ts';
import { DURABLE } from './durability.ts';
import type { RerankRunDocument } from './rerank-documents.ts';

/** Re-rank runs with their parameters and outcome. Only the manifest says which run is current. */
export function createRerankRuns({ rerankRuns }: Collections) {
  return {
    async create(run: RerankRunDocument): Promise<void> {
      await rerankRuns.insertOne(run, DURABLE);
    },

    async find(id: string): Promise<RerankRunDocument | null> {
      return rerankRuns.findOne({ _id: id });
    },

    async remove(id: string): Promise<void> {
      await rerankRuns.deleteOne({ _id: id });
    },

    /** The newest runs first, at most `limit`. */
    async newest(limit: number): Promise<RerankRunDocument[]> {
      return rerankRuns.find({}, { sort: { started_at: -1 }, limit }).toArray();
    },

    /** Runs that have not ended. */
    async open(): Promise<RerankRunDocument[]> {
      return rerankRuns.find({ state: 'running' }).toArray();
    },

    /** Ends a run; has no effect on one that has ended. */
    async end(id: string, end: Pick<RerankRunDocument, 'state' | 'ended_at' | 'error' | 'report'>): Promise<void> {
      await rerankRuns.updateOne({ _id: id, state: 'running' }, { $set: end }, DURABLE);
    },

    /** Replaces flow `flow` by the next; false when it was already replaced. */
    async replaceFlow(id: string, flow: number): Promise<boolean> {
      const filter = { _id: id, flow, state: 'running' } as const;
      return (await rerankRuns.updateOne(filter, { $set: { flow: flow + 1 } }, DURABLE)).matchedCount === 1;
    },

    async removeEndedBefore(at: Date): Promise<void> {
      await rerankRuns.deleteMany({ ended_at: { $lt: at } });
    },
  };
}
