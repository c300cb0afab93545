import { mongo } from 'mongoose';
import { canonicalPayload, type SignedPayload } from '../../contract/signing/index.ts';
import type { AppendOutcome, LogEntry } from '../types.ts';
import type { Collections } from './collections.ts';
import type { SnapshotDocument } from './documents.ts';
import { DURABLE } from './durability.ts';
import { DUPLICATE_KEY } from './store-errors.ts';
import { timeOf, timePrefix } from './unique-id.ts';

/** An entry's id: a `jti` is unique per operator. */
export function entryId({ operator, jti }: Pick<LogEntry, 'operator' | 'jti'>): string {
  return `${operator}.${jti}`;
}

function toDocument(entry: LogEntry, batch: string): SnapshotDocument {
  const { codename, input, output, cache_read, cache_write, platform } = entry.payload;
  return {
    _id: entryId(entry),
    batch,
    received_at: new Date(entry.receivedAt),
    codename,
    counts: [input, output, cache_read, cache_write],
    ...(platform === undefined ? {} : { platform }),
    signature: entry.signature,
  };
}

/** Decodes a log document. */
export function toEntry(document: SnapshotDocument): LogEntry {
  const [input, output, cache_read, cache_write] = document.counts;
  const payload: SignedPayload = { codename: document.codename, input, output, cache_read, cache_write };
  return {
    ...identityOf(document._id),
    receivedAt: document.received_at.getTime(),
    payload: document.platform === undefined ? payload : { ...payload, platform: document.platform },
    signature: document.signature,
  };
}

const sameContent = (a: LogEntry, b: LogEntry): boolean =>
  a.signature === b.signature && canonicalPayload(a.payload) === canonicalPayload(b.payload);

/** Parses an entry's id. */
export function identityOf(id: string): { operator: number; jti: string } {
  const separator = id.indexOf('.');
  return { operator: Number(id.slice(0, separator)), jti: id.slice(separator + 1) };
}

/** The snapshot log. A snapshot is acknowledged only after it is written here. */
export function createSnapshotLog({ snapshots }: Collections) {
  return {
    /**
     * Writes entries as one batch, journaled; returns the outcomes in order. Throws when the store does not confirm the
     * write.
     */
    async append(batch: string, entries: readonly LogEntry[]): Promise<AppendOutcome[]> {
      const outcomes: AppendOutcome[] = entries.map(() => ({ kind: 'stored', batch }));
      try {
        await snapshots.insertMany(
          entries.map((entry) => toDocument(entry, batch)),
          { ordered: false, ...DURABLE },
        );
      } catch (error) {
        for (const index of duplicatesIn(error, entries.length)) outcomes[index] = { kind: 'conflict' };
      }
      const repeated = entries.filter((_, index) => outcomes[index]?.kind === 'conflict');
      if (repeated.length === 0) return outcomes;
      const known = await snapshots.find({ _id: { $in: repeated.map(entryId) } }).toArray();
      const byId = new Map(known.map((document) => [document._id, document]));
      return outcomes.map((outcome, index) => {
        const entry = entries[index]!;
        const stored = byId.get(entryId(entry));
        if (outcome.kind === 'stored') return outcome;
        if (stored === undefined) throw new Error('the store lost an entry that it reported as a duplicate');
        if (!sameContent(toEntry(stored), entry)) return outcome;
        return { kind: 'repeated', batch: stored.batch };
      });
    },

    /** The entries of one batch, ordered by id. */
    async ofBatch(batch: string): Promise<LogEntry[]> {
      return (await snapshots.find({ batch }).sort({ _id: 1 }).toArray()).map(toEntry);
    },

    /** The number of entries in the batches. */
    async countIn(batches: readonly string[]): Promise<number> {
      return snapshots.countDocuments({ batch: { $in: [...batches] } });
    },

    async find(operator: number, jti: string): Promise<{ entry: LogEntry; batch: string } | null> {
      const document = await snapshots.findOne({ _id: entryId({ operator, jti }) });
      return document === null ? null : { entry: toEntry(document), batch: document.batch };
    },

    /** Deletes every entry of an operator. */
    async eraseOf(operator: number): Promise<void> {
      // Ids begin with the number and a full stop; `/` is the next character.
      await snapshots.deleteMany({ _id: { $gte: `${operator}.`, $lt: `${operator}/` } }, DURABLE);
    },

    /** Time (milliseconds since the epoch) of the oldest batch created at or after `from`; null without one. */
    async nextBatchAt(from: number): Promise<number | null> {
      const options = { projection: { _id: 0, batch: 1 }, sort: { batch: 1 } } as const;
      const next = await snapshots.findOne({ batch: { $gte: timePrefix(from) } }, options);
      return next === null ? null : timeOf(next.batch);
    },

    /** Ids of batches created in [from, until) (milliseconds since the epoch), oldest first. */
    async batchesBetween(from: number, until: number): Promise<string[]> {
      const range = { $gte: timePrefix(from), $lt: timePrefix(until) };
      const batches: string[] = await snapshots.distinct('batch', { batch: range });
      return batches.sort();
    },
  };
}

/** Indexes of entries that already exist; rethrows any other failure. */
function duplicatesIn(error: unknown, offered: number): number[] {
  if (!(error instanceof mongo.MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) throw error;
  const failures = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
  if (failures.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
  // The driver wraps a lost connection into the same class without write errors: nothing was confirmed.
  if (error.insertedCount + failures.length !== offered) throw error;
  return failures.map(({ index }) => index);
}
