import { mongo } from 'mongoose';
import { canonicalPayload, type SignedPayload } from '../../contract/signing/index.ts';
import type { AppendOutcome, LogEntry } from '../types.ts';
import type { Collections } from './collections.ts';
import type { SnapshotDocument } from './documents.ts';
import { DURABLE } from './durability.ts';
import { DUPLICATE_KEY } from './store-errors.ts';
import { timeOf, timePrefix } from './unique-id.ts';

/** The log's name of an entry: one operator never has two entries of the same `jti`. */
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

/** The entry in a document of the log. */
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

/** The operator and `jti` in an entry's name. */
export function identityOf(id: string): { operator: number; jti: string } {
  const separator = id.indexOf('.');
  return { operator: Number(id.slice(0, separator)), jti: id.slice(separator + 1) };
}

/** The log of every snapshot that was acknowledged. Nothing is acknowledged before it is here. */
export function createSnapshotLog({ snapshots }: Collections) {
  return {
    /** Writes entries under one group name, journaled; answers each in order. Throws when the store does not confirm. */
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
        if (stored === undefined) throw new Error('an entry that was there a moment ago is gone: the store lost it');
        if (!sameContent(toEntry(stored), entry)) return outcome;
        return { kind: 'repeated', batch: stored.batch };
      });
    },

    /** The entries of one group, in the order of their names. */
    async ofBatch(batch: string): Promise<LogEntry[]> {
      return (await snapshots.find({ batch }).sort({ _id: 1 }).toArray()).map(toEntry);
    },

    /** How many entries the groups have. */
    async countIn(batches: readonly string[]): Promise<number> {
      return snapshots.countDocuments({ batch: { $in: [...batches] } });
    },

    async find(operator: number, jti: string): Promise<{ entry: LogEntry; batch: string } | null> {
      const document = await snapshots.findOne({ _id: entryId({ operator, jti }) });
      return document === null ? null : { entry: toEntry(document), batch: document.batch };
    },

    /** Deletes every entry of an operator. */
    async eraseOf(operator: number): Promise<void> {
      // Names begin with the number and a full stop, which the slash follows.
      await snapshots.deleteMany({ _id: { $gte: `${operator}.`, $lt: `${operator}/` } }, DURABLE);
    },

    /** The moment (milliseconds since the epoch) of the oldest group made at or after `from`; null when there is none. */
    async nextBatchAt(from: number): Promise<number | null> {
      const options = { projection: { _id: 0, batch: 1 }, sort: { batch: 1 } } as const;
      const next = await snapshots.findOne({ batch: { $gte: timePrefix(from) } }, options);
      return next === null ? null : timeOf(next.batch);
    },

    /** Names of groups made in [from, until) (milliseconds since the epoch), oldest first. */
    async batchesBetween(from: number, until: number): Promise<string[]> {
      const range = { $gte: timePrefix(from), $lt: timePrefix(until) };
      const batches: string[] = await snapshots.distinct('batch', { batch: range });
      return batches.sort();
    },
  };
}

/** The indexes of entries that exist already; rethrows whatever else went wrong. */
function duplicatesIn(error: unknown, offered: number): number[] {
  if (!(error instanceof mongo.MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) throw error;
  const failures = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
  if (failures.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
  // The driver wraps a lost connection into an error of the same class that names no failures: nothing was confirmed.
  if (error.insertedCount + failures.length !== offered) throw error;
  return failures.map(({ index }) => index);
}
