import type { OperatorState } from '../core/operator-state/index.ts';
import type { Collections } from './collections.ts';
import type { OperatorDocument } from './documents.ts';
import { singleBatch } from './single-batch.ts';
import { decodeState } from './state-codec.ts';

const STATE = { revision: 1, hour: 1, totals: 1, platforms: 1, next_due: 1, streams: 1 } as const;
type StateDocument = Pick<OperatorDocument, '_id' | keyof typeof STATE>;

/** A standing as read, with the revision that a write on it is conditional on. */
export interface LoadedState {
  readonly revision: string;
  readonly operatorState: OperatorState;
}

/** Which state of a record it is, and the hour at which it was folded. */
export interface RevisionStamp {
  readonly revision: string;
  readonly hour: number;
}

/** Reads what folds work on. */
export function createOperatorStates({ operators }: Pick<Collections, 'operators'>) {
  return {
    /** The standings of those operators that exist and are not erased. */
    async operatorStates(numbers: readonly number[]): Promise<Map<number, LoadedState>> {
      const options = { projection: STATE, ...singleBatch(numbers) };
      const found = operators.find<StateDocument>(
        { _id: { $in: [...numbers] }, erased_at: { $exists: false } },
        options,
      );
      const documents = await found.toArray();
      return new Map(
        documents.map((document) => [
          document._id,
          { revision: document.revision, operatorState: decodeState(document) },
        ]),
      );
    },

    /** The present revision and hour of an operator, whatever state its marks are in; null when it is gone or erased. */
    async stamp(operator: number): Promise<RevisionStamp | null> {
      const live = { _id: operator, erased_at: { $exists: false } };
      const found = await operators.findOne(live, { projection: { revision: 1, hour: 1 } });
      return found === null ? null : { revision: found.revision, hour: found.hour };
    },

    /** The same of several; who is gone is left out. */
    async stamps(numbers: readonly number[]): Promise<ReadonlyMap<number, RevisionStamp>> {
      const live = { _id: { $in: [...numbers] }, erased_at: { $exists: false } };
      const options = { projection: { revision: 1, hour: 1 }, ...singleBatch(numbers) };
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
      const options = { projection: { revision: 1 }, ...singleBatch(numbers) };
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
