import type { OperatorState } from '../core/operator-state/index.ts';
import type { Collections } from './collections.ts';
import type { OperatorDocument } from './documents.ts';
import { singleBatch } from './single-batch.ts';
import { decodeState } from './state-codec.ts';

const STATE = { revision: 1, hour: 1, totals: 1, platforms: 1, next_due: 1, streams: 1 } as const;
type StateDocument = Pick<OperatorDocument, '_id' | keyof typeof STATE>;

/** An operator state with the revision on which its next write is conditional. */
export interface LoadedState {
  readonly revision: string;
  readonly operatorState: OperatorState;
}

/** The revision of a record and the hour at which facts were last applied. */
export interface RecordRevision {
  readonly revision: string;
  readonly hour: number;
}

/** Reads of operator states and their revisions. */
export function createOperatorStates({ operators }: Pick<Collections, 'operators'>) {
  return {
    /** The states of the operators that exist and are not erased. */
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

    /**
     * An operator's current revision and hour, read without decoding its state; null when it does not exist or was erased.
     */
    async recordRevision(operator: number): Promise<RecordRevision | null> {
      const live = { _id: operator, erased_at: { $exists: false } };
      const found = await operators.findOne(live, { projection: { revision: 1, hour: 1 } });
      return found === null ? null : { revision: found.revision, hour: found.hour };
    },

    /** As `recordRevision`, for several operators; absent where that returns null. */
    async recordRevisions(numbers: readonly number[]): Promise<ReadonlyMap<number, RecordRevision>> {
      const live = { _id: { $in: [...numbers] }, erased_at: { $exists: false } };
      const options = { projection: { revision: 1, hour: 1 }, ...singleBatch(numbers) };
      const found = await operators.find(live, options).toArray();
      return new Map(found.map(({ _id, revision, hour }) => [_id, { revision, hour }]));
    },

    /** Numbers of operators from `number` on, ascending, at most `limit`; erased ones are excluded. */
    async numbersFrom(number: number, limit: number): Promise<readonly number[]> {
      const live = { _id: { $gte: number }, erased_at: { $exists: false } };
      const options = { projection: { _id: 1 }, sort: { _id: 1 }, limit, batchSize: limit } as const;
      return (await operators.find(live, options).toArray()).map(({ _id }) => _id);
    },

    /** The current revisions of the operators that exist, erased ones included. */
    async revisions(numbers: readonly number[]): Promise<Map<number, string>> {
      const options = { projection: { revision: 1 }, ...singleBatch(numbers) };
      const found = operators.find({ _id: { $in: [...numbers] } }, options);
      return new Map((await found.toArray()).map(({ _id, revision }) => [_id, revision]));
    },

    /** Numbers of operators whose totals change at or before `hour` without a snapshot, at most `limit`. */
    async due(hour: number, limit: number): Promise<number[]> {
      const found = operators.find(
        { next_due: { $gt: 0, $lte: hour } },
        { projection: { _id: 1 }, limit, batchSize: limit, sort: { next_due: 1 } },
      );
      return (await found.toArray()).map(({ _id }) => _id);
    },
  };
}
