import { createHash } from 'node:crypto';
import { insertUnlessTaken } from '../../mongo/index.ts';
import type { UsageFact } from '../core/operator-state/index.ts';
import type { Collections } from './collections.ts';
import type { RollupDocument } from './documents.ts';
import { DURABLE } from './durability.ts';
import { singleBatch } from './single-batch.ts';

/** What an operator's snapshots came to that are too old for the log: one fact a step of each stream's marks. */
export interface Rollup {
  /** Snapshots received before this moment (milliseconds since the epoch) are in it. */
  readonly until: number;
  readonly facts: readonly UsageFact[];
}

/** `damaged`: what is stored is not what was written. */
export type FoundRollup =
  | { readonly kind: 'none' | 'damaged' }
  | { readonly kind: 'rollup'; readonly rollup: Rollup; readonly checksum: string };

/** The sums of what is written, in a form that does not depend on how it is stored. */
function checksumOf(operator: number, until: Date, facts: RollupDocument['facts']): string {
  const lines = facts.map(({ ledger, platform, epoch, hour, counts }) => [ledger, platform, epoch, hour, ...counts]);
  return createHash('sha256')
    .update(JSON.stringify([operator, until.getTime(), lines]))
    .digest('base64url');
}

function documentOf(operator: number, rollup: Rollup): RollupDocument {
  const until = new Date(rollup.until);
  const facts = rollup.facts.map(({ ledger, platform, epoch, hour, counts }): RollupDocument['facts'][number] => {
    const { input, output, cache_read, cache_write } = counts;
    return { ledger, platform, epoch, hour, counts: [input, output, cache_read, cache_write] };
  });
  return { _id: operator, until, facts, checksum: checksumOf(operator, until, facts) };
}

function factOf({ counts, ...place }: RollupDocument['facts'][number]): UsageFact {
  const [input, output, cache_read, cache_write] = counts;
  return { ...place, counts: { input, output, cache_read, cache_write } };
}

function read({ _id, until, facts, checksum }: RollupDocument): FoundRollup {
  if (checksumOf(_id, until, facts) !== checksum) return { kind: 'damaged' };
  return { kind: 'rollup', rollup: { until: until.getTime(), facts: facts.map(factOf) }, checksum };
}

/** Carry marks, each with a checksum: the log that would prove them is gone. */
export function createRollups({ rollups }: Pick<Collections, 'rollups'>) {
  return {
    async find(operator: number): Promise<FoundRollup> {
      const found = await rollups.findOne({ _id: operator });
      return found === null ? { kind: 'none' } : read(found);
    },

    /** Those of several operators; who has none is left out. */
    async findAll(operators: readonly number[]): Promise<ReadonlyMap<number, FoundRollup>> {
      const found = await rollups.find({ _id: { $in: [...operators] } }, singleBatch(operators)).toArray();
      return new Map(found.map((document) => [document._id, read(document)]));
    },

    /** Writes carries of operators that have none. */
    async insert(rollupsOf: ReadonlyMap<number, Rollup>): Promise<void> {
      const documents = [...rollupsOf].map(([operator, rollup]) => documentOf(operator, rollup));
      if (documents.length > 0) await rollups.insertMany(documents, DURABLE);
    },

    /** Writes a carry in the place of the one with that checksum (null: of none); false when another is there. */
    async replace(operator: number, former: string | null, rollup: Rollup): Promise<boolean> {
      const document = documentOf(operator, rollup);
      if (former === null) return insertUnlessTaken(() => rollups.insertOne(document, DURABLE));
      const { matchedCount } = await rollups.replaceOne({ _id: operator, checksum: former }, document, DURABLE);
      return matchedCount === 1;
    },

    /** What an operator's carry says it holds, damaged or not; 0 without one. */
    async until(operator: number): Promise<number> {
      return (await rollups.findOne({ _id: operator }, { projection: { until: 1 } }))?.until.getTime() ?? 0;
    },

    /** Writes a carry, whatever is there. */
    async overwrite(operator: number, rollup: Rollup): Promise<void> {
      await rollups.replaceOne({ _id: operator }, documentOf(operator, rollup), { upsert: true, ...DURABLE });
    },

    async erase(operator: number): Promise<void> {
      await rollups.deleteOne({ _id: operator }, DURABLE);
    },
  };
}
