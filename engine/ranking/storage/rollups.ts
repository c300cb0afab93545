import { createHash } from 'node:crypto';
import type { mongo } from 'mongoose';
import { countNumbers, countsAt } from '../../contract/signing/index.ts';
import { DURABLE, insertUnlessTaken } from '../../mongo/index.ts';
import type { OlderDays, UsageSample } from '../core/operator-state/index.ts';
import { singleBatch } from './find.ts';

/** Rollup of an operator's snapshots past retention. `_id` is the operator number. */
export interface RollupDocument {
  _id: number;
  /** Snapshots received before this are in the rollup and no longer in the log. */
  until: Date;
  /** Counts in the order of COUNT_FIELDS. */
  facts: (Omit<UsageSample, 'counts'> & { counts: ReturnType<typeof countNumbers> })[];
  older: readonly OlderDays[];
  checksum: string;
}

/** Rollup of an operator's snapshots past retention: one fact per step of each stream's samples. */
export interface Rollup {
  /** Snapshots received before this time (milliseconds since the epoch) are in it. */
  readonly until: number;
  readonly facts: readonly UsageSample[];
  /** Days of receipt that the facts no longer have. */
  readonly older: readonly OlderDays[];
}

export const NO_ROLLUP: Rollup = { until: 0, facts: [], older: [] };

/** `damaged`: the checksum does not match. */
export type FoundRollup =
  | { readonly kind: 'none' | 'damaged' }
  | { readonly kind: 'rollup'; readonly rollup: Rollup; readonly checksum: string };

/** Checksum over the content, independent of its encoding. */
function checksumOf({ _id: operator, until, facts, older }: Omit<RollupDocument, 'checksum'>): string {
  const lines = facts.map(({ ledger, platform, epoch, hour, counts, provenance, receipt = null }) => {
    const stated = provenance ? [provenance.counting, provenance.version] : [];
    return [ledger, platform, epoch, hour, receipt, ...counts, ...stated];
  });
  const days = older.map((of) => [of.platform, of.power, of.days]);
  return createHash('sha256')
    .update(JSON.stringify([operator, until.getTime(), lines, days]))
    .digest('base64url');
}

function documentOf(operator: number, rollup: Rollup): RollupDocument {
  const until = new Date(rollup.until);
  const facts = rollup.facts.map(({ counts, provenance, ...place }) => {
    return { ...place, counts: countNumbers(counts), ...(provenance ? { provenance } : {}) };
  });
  const content = { _id: operator, until, facts, older: rollup.older };
  return { ...content, checksum: checksumOf(content) };
}

function factOf({ counts, ...place }: RollupDocument['facts'][number]): UsageSample {
  return { ...place, counts: countsAt(counts) };
}

function read({ checksum, ...content }: RollupDocument): FoundRollup {
  if (checksumOf(content) !== checksum) return { kind: 'damaged' };
  const { until, facts, older } = content;
  return { kind: 'rollup', rollup: { until: until.getTime(), facts: facts.map(factOf), older }, checksum };
}

/** Rollups, each with a checksum: the log entries that would prove them are deleted. */
export function createRollups(db: mongo.Db) {
  const rollups = db.collection<RollupDocument>('rollups');

  return {
    async find(operator: number): Promise<FoundRollup> {
      const found = await rollups.findOne({ _id: operator });
      return found === null ? { kind: 'none' } : read(found);
    },

    /** Rollups of several operators; operators without one are absent. */
    async findAll(operators: readonly number[]): Promise<ReadonlyMap<number, FoundRollup>> {
      const found = await rollups.find({ _id: { $in: [...operators] } }, singleBatch(operators)).toArray();
      return new Map(found.map((document) => [document._id, read(document)]));
    },

    /** Inserts rollups of operators that have none. */
    async insert(rollupsOf: ReadonlyMap<number, Rollup>): Promise<void> {
      const documents = [...rollupsOf].map(([operator, rollup]) => documentOf(operator, rollup));
      if (documents.length > 0) await rollups.insertMany(documents, DURABLE);
    },

    /** Replaces the rollup with that checksum (null: inserts the first); false when the stored one differs. */
    async replace(operator: number, former: string | null, rollup: Rollup): Promise<boolean> {
      const document = documentOf(operator, rollup);
      if (former === null) return insertUnlessTaken(() => rollups.insertOne(document, DURABLE));
      const { matchedCount } = await rollups.replaceOne({ _id: operator, checksum: former }, document, DURABLE);
      return matchedCount === 1;
    },

    /** `until` of an operator's rollup, damaged or not; 0 without one. */
    async until(operator: number): Promise<number> {
      return (await rollups.findOne({ _id: operator }, { projection: { until: 1 } }))?.until.getTime() ?? 0;
    },

    /** Writes a rollup without comparing the stored one. */
    async overwrite(operator: number, rollup: Rollup): Promise<void> {
      await rollups.replaceOne({ _id: operator }, documentOf(operator, rollup), { upsert: true, ...DURABLE });
    },

    async erase(operator: number): Promise<void> {
      await rollups.deleteOne({ _id: operator }, DURABLE);
    },
  };
}
