import type { mongo } from 'mongoose';
import type { RefusalCode } from '../../contract/refusals.ts';
import { DURABLE, insertUnlessTaken } from '../../mongo/index.ts';
import type { LogEntry, Verdict } from '../types.ts';
import { idsIn, singleBatch } from './find.ts';
import { entryId, identityOf } from './snapshots.ts';

/** The verdicts of one batch: entries absent from both arrays were accepted and changed a total. */
export interface VerdictDocument {
  _id: string;
  decided_at: Date;
  unchanged: string[];
  refused: { entry: string; reason: RefusalCode; detail: string }[];
}

/** The verdict of one entry in its batch's document. */
export function verdictOf(document: VerdictDocument, { operator, jti }: Pick<LogEntry, 'operator' | 'jti'>): Verdict {
  const id = entryId({ operator, jti });
  const refusal = document.refused.find(({ entry }) => entry === id);
  if (refusal !== undefined) {
    return { operator, jti, accepted: false, reason: refusal.reason, detail: refusal.detail };
  }
  return { operator, jti, accepted: true, changed: !document.unchanged.includes(id) };
}

/** One document per batch, written once: the first verdict is final. */
export function createVerdictStore(db: mongo.Db) {
  const verdicts = db.collection<VerdictDocument>('verdicts');

  return {
    /** Records a batch's verdicts; returns the final ones, which are earlier verdicts when the batch was decided before. */
    async record(batch: string, decided: readonly Verdict[], at: Date): Promise<readonly Verdict[]> {
      const document: VerdictDocument = {
        _id: batch,
        decided_at: at,
        unchanged: decided.filter((verdict) => verdict.accepted && !verdict.changed).map(entryId),
        refused: decided.flatMap((verdict) =>
          verdict.accepted ? [] : [{ entry: entryId(verdict), reason: verdict.reason, detail: verdict.detail }],
        ),
      };
      if (await insertUnlessTaken(() => verdicts.insertOne(document, DURABLE))) return decided;
      const first = await verdicts.findOne({ _id: batch });
      return first === null ? decided : decided.map((verdict) => verdictOf(first, verdict));
    },

    /** Replaces the verdict of an entry that was refused as `entry_poisoned`; has no effect on other verdicts. */
    async correct(batch: string, verdict: Verdict): Promise<void> {
      const entry = entryId(verdict);
      const poisoned = { entry, reason: 'entry_poisoned' } as const;
      const refused = verdict.accepted ? [] : [{ entry, reason: verdict.reason, detail: verdict.detail }];
      const unchanged = verdict.accepted && !verdict.changed ? [entry] : [];
      const others = { $filter: { input: '$refused', as: 'one', cond: { $ne: ['$$one.entry', { $literal: entry }] } } };
      await verdicts.updateOne(
        { _id: batch, refused: { $elemMatch: poisoned } },
        [
          {
            $set: {
              refused: { $concatArrays: [others, { $literal: refused }] },
              unchanged: { $concatArrays: ['$unchanged', { $literal: unchanged }] },
            },
          },
        ],
        DURABLE,
      );
    },

    /** Entries refused as `entry_poisoned`, at most `limit`. */
    async poisoned(limit: number): Promise<{ batch: string; operator: number; jti: string }[]> {
      const found = await verdicts.find({ 'refused.reason': 'entry_poisoned' }, { limit }).toArray();
      return found.flatMap(({ _id, refused }) =>
        refused
          .filter(({ reason }) => reason === 'entry_poisoned')
          .map(({ entry }) => ({ batch: _id, ...identityOf(entry) })),
      );
    },

    /** The verdict of one entry; null while its batch has none. */
    async find(batch: string, entry: Pick<LogEntry, 'operator' | 'jti'>): Promise<Verdict | null> {
      const document = await verdicts.findOne({ _id: batch });
      return document === null ? null : verdictOf(document, entry);
    },

    /** The batches without verdicts. */
    async missing(batches: readonly string[]): Promise<string[]> {
      if (batches.length === 0) return [];
      const decided = new Set(await idsIn(verdicts, { _id: { $in: [...batches] } }));
      return batches.filter((batch) => !decided.has(batch));
    },

    ...createVerdictRepairs(verdicts),
  };
}

/** Verdict operations of repair and retention. */
function createVerdictRepairs(verdicts: mongo.Collection<VerdictDocument>) {
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
      const found = await verdicts.find({ _id: { $in: [...batches] } }, singleBatch(batches)).toArray();
      return new Map(found.map((document) => [document._id, document]));
    },

    /** Batches decided at or after a time. */
    decidedSince: (at: Date) => idsIn(verdicts, { decided_at: { $gte: at } }),

    async remove(batches: readonly string[]): Promise<void> {
      await verdicts.deleteMany({ _id: { $in: [...batches] } }, DURABLE);
    },
  };
}
