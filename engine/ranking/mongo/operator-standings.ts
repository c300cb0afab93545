import type { Standing } from '../core/standing/index.ts';
import type { Collections } from './collections.ts';
import type { OperatorDocument } from './documents.ts';
import { inOneReply } from './one-reply.ts';
import { decodeStanding } from './standing-codec.ts';

const STANDING = { revision: 1, hour: 1, totals: 1, platforms: 1, next_due: 1, streams: 1 } as const;
type StandingDocument = Pick<OperatorDocument, '_id' | keyof typeof STANDING>;

/** A standing as read, with the revision that a write on it is conditional on. */
export interface LoadedStanding {
  readonly revision: string;
  readonly standing: Standing;
}

/** Reads what folds work on. */
export function createOperatorStandings({ operators }: Pick<Collections, 'operators'>) {
  return {
    /** The standings of those operators that exist and are not erased. */
    async standings(numbers: readonly number[]): Promise<Map<number, LoadedStanding>> {
      const options = { projection: STANDING, ...inOneReply(numbers) };
      const found = operators.find<StandingDocument>(
        { _id: { $in: [...numbers] }, erased_at: { $exists: false } },
        options,
      );
      const documents = await found.toArray();
      return new Map(
        documents.map((document) => [
          document._id,
          { revision: document.revision, standing: decodeStanding(document) },
        ]),
      );
    },

    /** The present revisions of those operators that exist. */
    async revisions(numbers: readonly number[]): Promise<Map<number, string>> {
      const options = { projection: { revision: 1 }, ...inOneReply(numbers) };
      const found = operators.find({ _id: { $in: [...numbers] } }, options);
      return new Map((await found.toArray()).map(({ _id, revision }) => [_id, revision]));
    },

    /** Numbers of operators whose totals move by themselves at or before `hour`, at most `limit`. */
    async due(hour: number, limit: number): Promise<number[]> {
      const found = operators.find(
        { next_due: { $gt: 0, $lte: hour } },
        { projection: { _id: 1 }, limit, batchSize: limit, sort: { next_due: 1 } },
      );
      return (await found.toArray()).map(({ _id }) => _id);
    },
  };
}
