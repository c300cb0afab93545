import type { mongo } from 'mongoose';
import { canonicalPayload, countNumbers, countsAt, type SignedPayload } from '../../contract/signing/index.ts';
import { DUPLICATE_KEY, DURABLE } from '../../mongo/index.ts';
import type { AppendOutcome, LogEntry } from '../types.ts';
import { idsIn, pagesOf } from './find.ts';
import { TIME_ORDERED, timeOf, timePrefix } from './unique-id.ts';

/** A snapshot in the log. `_id` is `operator.jti`. */
interface SnapshotDocument extends Pick<SignedPayload, 'codename' | 'platform'>, Pick<LogEntry, 'signature'> {
  _id: string;
  batch: string;
  received_at: Date;
  counts: ReturnType<typeof countNumbers>;
  /** Set when the snapshot was voided: stored, but not counted. */
  voided_at?: Date;
}

/** An entry's id: a `jti` is unique per operator. */
export function entryId({ operator, jti }: Pick<LogEntry, 'operator' | 'jti'>): string {
  return `${operator}.${jti}`;
}

function toDocument(entry: LogEntry, batch: string): SnapshotDocument {
  const { codename, platform } = entry.payload;
  return {
    _id: entryId(entry),
    batch,
    received_at: new Date(entry.receivedAt),
    codename,
    counts: countNumbers(entry.payload),
    ...(platform === undefined ? {} : { platform }),
    signature: entry.signature,
  };
}

/** Decodes a log document. */
function toEntry(document: SnapshotDocument): LogEntry {
  const payload: SignedPayload = { codename: document.codename, ...countsAt(document.counts) };
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

/** The ids of batches created in [from, until). */
const createdIn = (from: number, until: number) => ({ $gte: timePrefix(from), $lt: timePrefix(until) });

/** The snapshot log. A snapshot is acknowledged only after it is written here. */
export function createSnapshotLog(snapshots: mongo.Collection<SnapshotDocument>) {
  return {
    /** As one batch, journaled; outcomes in order. Throws when the store does not confirm the write. */
    async append(batch: string, entries: readonly LogEntry[]): Promise<AppendOutcome[]> {
      const outcomes: AppendOutcome[] = entries.map(() => ({ kind: 'stored', batch }));
      const documents = entries.map((entry) => toDocument(entry, batch));
      for (const index of await insertNew(snapshots, documents)) outcomes[index] = { kind: 'conflict' };
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

    /** When an operator's snapshot with exactly these counts was first received, in milliseconds; null when the log has none. */
    async firstReceived(operator: number, counts: readonly number[]): Promise<number | null> {
      const found = await snapshots.findOne(
        { _id: ofOperator(operator), counts: [...counts], voided_at: { $exists: false } },
        { sort: { received_at: 1 }, projection: { received_at: 1 } },
      );
      return found?.received_at.getTime() ?? null;
    },

    /** At most `limit` entries of an operator by `jti`, from the last one before `jti` (null: of all) down. */
    async pageBefore(operator: number, jti: string | null, limit: number): Promise<readonly KeptEntry[]> {
      const _id = { ...ofOperator(operator), ...(jti === null ? {} : { $lt: entryId({ operator, jti }) }) };
      return (await snapshots.find({ _id }, { sort: { _id: -1 }, limit, batchSize: limit }).toArray()).map(keptOf);
    },

    ...createOperatorLog(snapshots),

    /** Deletes every entry of an operator. */
    async eraseOf(operator: number): Promise<void> {
      await snapshots.deleteMany({ _id: ofOperator(operator) }, DURABLE);
    },

    ...createBatchWalks(snapshots),
  };
}

/** The snapshot log by batch, in the order of creation. */
function createBatchWalks(snapshots: mongo.Collection<SnapshotDocument>) {
  return {
    /** Time (milliseconds since the epoch, at least `from`) of the oldest batch created from then on; null without one. */
    async nextBatchAt(from: number): Promise<number | null> {
      const options = { projection: { _id: 0, batch: 1 }, sort: { batch: 1 } } as const;
      const next = await snapshots.findOne({ batch: { $gte: timePrefix(from), $regex: TIME_ORDERED } }, options);
      return next === null ? null : timeOf(next.batch);
    },

    /** Ids of batches created in [from, until) (milliseconds since the epoch), oldest first. */
    async batchesBetween(from: number, until: number): Promise<string[]> {
      const batches: string[] = await snapshots.distinct('batch', { batch: createdIn(from, until) });
      return batches.sort();
    },

    /** Ids of batches that sort after those created before `from`, whatever their form; at most `limit`. */
    async batchesAfter(from: number, limit: number): Promise<string[]> {
      const later = { batch: { $gte: timePrefix(from) } };
      const found = snapshots.aggregate<{ _id: string }>([
        { $match: later },
        { $group: { _id: '$batch' } },
        { $sort: { _id: 1 } },
        { $limit: limit },
      ]);
      return (await found.toArray()).map(({ _id }) => _id);
    },
  };
}

/** The snapshot log by operator, for repair and retention. */
function createOperatorLog(snapshots: mongo.Collection<SnapshotDocument>) {
  const pagesIn = (
    ids: { $gte?: string; $lt?: string; $in?: RegExp[] },
    limit: number,
  ): AsyncGenerator<readonly KeptEntry[]> =>
    pagesOf(limit, async (last) => {
      const _id = last === undefined ? ids : { ...ids, $gt: last.id };
      return (await snapshots.find({ _id }, { sort: { _id: 1 }, limit, batchSize: limit }).toArray()).map(keptOf);
    });

  return {
    /** An operator's entries in pages of `limit`, ordered by id. */
    ofOperator: (operator: number, limit: number) => pagesIn(ofOperator(operator), limit),

    /** As `ofOperator`, for several operators; each operator's entries are contiguous. */
    ofOperators(operators: readonly number[], limit: number): AsyncGenerator<readonly KeptEntry[]> {
      // Prefix expressions become the bounds of one index scan.
      return pagesIn({ $in: operators.map((operator) => new RegExp(`^${operator}\\.`)) }, limit);
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
      const ids = await idsIn(snapshots, { batch: { $in: [...batches] } });
      return [...new Set(ids.map((id) => identityOf(id).operator))];
    },

    /** The operators of batches created in [from, until) (milliseconds since the epoch), from `limit` entries at a time. */
    async *operatorsBetween(from: number, until: number, limit: number): AsyncGenerator<readonly number[]> {
      const batch = createdIn(from, until);
      const found = snapshots.find({ batch }, { projection: { _id: 1 }, sort: { batch: 1 }, batchSize: limit });
      try {
        while (await found.hasNext()) {
          yield [...new Set(found.readBufferedDocuments().map(({ _id }) => identityOf(_id).operator))];
        }
      } finally {
        await found.close();
      }
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

/** The server's reply to an insert; a failed write concern is an error of the driver. */
interface InsertReply {
  readonly n?: number;
  readonly writeErrors?: readonly { readonly index: number; readonly code: number }[];
}

/**
 * Inserts documents, journaled; returns the indexes of those whose id exists. Throws when the store does not confirm all others.
 * Not by `insertMany`: on a replica set the driver tries that once more, and an entry could join a batch that has its verdict.
 */
async function insertNew(
  snapshots: mongo.Collection<SnapshotDocument>,
  documents: readonly SnapshotDocument[],
): Promise<number[]> {
  const command = { insert: snapshots.collectionName, documents, ordered: false, ...DURABLE };
  const { n, writeErrors = [] }: InsertReply = await snapshots.db.command(command);
  const failure = writeErrors.find(({ code }) => code !== DUPLICATE_KEY);
  if (failure !== undefined || n !== documents.length - writeErrors.length) {
    throw new Error(`the store confirmed ${n} of ${documents.length} snapshots`, { cause: failure });
  }
  return writeErrors.map(({ index }) => index);
}

function keptOf(document: SnapshotDocument): KeptEntry {
  return {
    id: document._id,
    entry: toEntry(document),
    batch: document.batch,
    voided: document.voided_at !== undefined,
  };
}
