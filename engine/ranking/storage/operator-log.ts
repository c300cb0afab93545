import type { LogEntry } from '../types.ts';
import type { Collections } from './collections.ts';
import type { SnapshotDocument } from './documents.ts';
import { DURABLE } from './durability.ts';
import { entryId, identityOf, toEntry } from './snapshot-log.ts';
import { timePrefix } from './unique-id.ts';

/** A stored entry with its batch. */
export interface KeptEntry {
  readonly id: string;
  readonly entry: LogEntry;
  readonly batch: string;
  /** True when it was voided: stored, but not counted. */
  readonly voided: boolean;
}

/** Ids begin with the operator's number and a full stop; `/` is the next character. */
const ofOperator = (operator: number) => ({ $gte: `${operator}.`, $lt: `${operator}/` });

/** The snapshot log by operator, for repair and retention. */
export function createOperatorLog({ snapshots }: Pick<Collections, 'snapshots'>) {
  return {
    /** An operator's entries after an id (empty: from the first), ordered by id, at most `limit`. */
    async page(operator: number, after: string, limit: number): Promise<readonly KeptEntry[]> {
      const { $gte, $lt } = ofOperator(operator);
      const range = after === '' ? { $gte, $lt } : { $gt: after, $lt };
      const found = await snapshots.find({ _id: range }, { sort: { _id: 1 }, limit, batchSize: limit }).toArray();
      return found.map(keptOf);
    },

    /** As `page`, for several operators; each operator's entries are contiguous. */
    async pageOfAll(operators: readonly number[], after: string, limit: number): Promise<readonly KeptEntry[]> {
      // Prefix expressions become the bounds of one index scan.
      const begins = { $in: operators.map((operator) => new RegExp(`^${operator}\\.`)) };
      const _id = after === '' ? begins : { ...begins, $gt: after };
      return (await snapshots.find({ _id }, { sort: { _id: 1 }, limit, batchSize: limit }).toArray()).map(keptOf);
    },

    async find(operator: number, jti: string): Promise<KeptEntry | null> {
      const found = await snapshots.findOne({ _id: entryId({ operator, jti }) });
      return found === null ? null : keptOf(found);
    },

    /** Marks entries as voided. */
    async markVoided(ids: readonly string[], at: Date): Promise<void> {
      const open = { _id: { $in: [...ids] }, voided_at: { $exists: false } };
      await snapshots.updateMany(open, { $set: { voided_at: at } }, DURABLE);
    },

    /** Entries of batches after a batch id (empty: from the first) created before a time (milliseconds since the epoch). */
    async oldest(after: string, moment: number, limit: number): Promise<readonly KeptEntry[]> {
      const older = { batch: { $gt: after, $lt: timePrefix(moment) } };
      return (await snapshots.find(older, { sort: { batch: 1 }, limit, batchSize: limit }).toArray()).map(keptOf);
    },

    /** The operators with entries in the batches. */
    async operatorsIn(batches: readonly string[]): Promise<readonly number[]> {
      const found = await snapshots.find({ batch: { $in: [...batches] } }, { projection: { _id: 1 } }).toArray();
      return [...new Set(found.map(({ _id }) => identityOf(_id).operator))];
    },

    /** The batches that have entries. */
    async batchesAmong(batches: readonly string[]): Promise<ReadonlySet<string>> {
      const found: string[] = await snapshots.distinct('batch', { batch: { $in: [...batches] } });
      return new Set(found);
    },

    /** Deletes entries by id. */
    async remove(ids: readonly string[]): Promise<void> {
      await snapshots.deleteMany({ _id: { $in: [...ids] } }, DURABLE);
    },
  };
}

function keptOf(document: SnapshotDocument): KeptEntry {
  return {
    id: document._id,
    entry: toEntry(document),
    batch: document.batch,
    voided: document.voided_at !== undefined,
  };
}
