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

/** Which state of a record it is, and the hour at which it was folded. */
export interface OperatorStamp {
  readonly revision: string;
  readonly hour: number;
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

    /** The present revision and hour of an operator, whatever state its marks are in; null when it is gone or erased. */
    async stamp(operator: number): Promise<OperatorStamp | null> {
      const live = { _id: operator, erased_at: { $exists: false } };
      const found = await operators.findOne(live, { projection: { revision: 1, hour: 1 } });
      return found === null ? null : { revision: found.revision, hour: found.hour };
    },

    /** The same of several; who is gone is left out. */
    async stamps(numbers: readonly number[]): Promise<ReadonlyMap<number, OperatorStamp>> {
      const live = { _id: { $in: [...numbers] }, erased_at: { $exists: false } };
      const options = { projection: { revision: 1, hour: 1 }, ...inOneReply(numbers) };
      const found = await operators.find(live, options).toArray();
      return new Map(found.map(({ _id, revision, hour }) => [_id, { revision, hour }]));
    },

    /** Numbers of operators from one on, ascending, at most `limit`; erased ones are left out. */
    async numbersFrom(number: number, limit: number): Promise<readonly number[]> {
      const live = { _id: { $gte: number }, erased_at: { $exists: false } };
      const options = { projection: { _id: 1 }, sort: { _id: 1 }, limit, batchSize: limit } as const;
      return (await operators.find(live, options).toArray()).map(({ _id }) => _id);
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
