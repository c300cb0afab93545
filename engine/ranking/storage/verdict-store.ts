import type { LogEntry, Verdict } from '../types.ts';
import type { Collections } from './collections.ts';
import type { VerdictDocument } from './documents.ts';
import { DURABLE } from './durability.ts';
import { entryId, identityOf } from './snapshot-log.ts';
import { isDuplicateKey } from './store-errors.ts';

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
export function createVerdictStore({ verdicts }: Collections) {
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
      try {
        await verdicts.insertOne(document, DURABLE);
        return decided;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const first = await verdicts.findOne({ _id: batch });
        return first === null ? decided : decided.map((verdict) => verdictOf(first, verdict));
      }
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
      const found = await verdicts.find({ _id: { $in: [...batches] } }, { projection: { _id: 1 } }).toArray();
      const decided = new Set(found.map(({ _id }) => _id));
      return batches.filter((batch) => !decided.has(batch));
    },
  };
}
