import { createHash } from 'node:crypto';
import { insertUnlessTaken } from '../../mongo/index.ts';
import type { UsageFact } from '../core/standing/index.ts';
import type { Collections } from './collections.ts';
import type { CarryDocument } from './documents.ts';
import { DURABLE } from './durability.ts';
import { inOneReply } from './one-reply.ts';

/** What an operator's snapshots came to that are too old for the log: one fact a step of each stream's marks. */
export interface Carry {
  /** Snapshots received before this moment (milliseconds since the epoch) are in it. */
  readonly until: number;
  readonly facts: readonly UsageFact[];
}

/** `damaged`: what is stored is not what was written. */
export type FoundCarry =
  | { readonly kind: 'none' | 'damaged' }
  | { readonly kind: 'carry'; readonly carry: Carry; readonly checksum: string };

/** The sums of what is written, in a form that does not depend on how it is stored. */
function checksumOf(operator: number, until: Date, facts: CarryDocument['facts']): string {
  const lines = facts.map(({ ledger, platform, epoch, hour, counts }) => [ledger, platform, epoch, hour, ...counts]);
  return createHash('sha256')
    .update(JSON.stringify([operator, until.getTime(), lines]))
    .digest('base64url');
}

function documentOf(operator: number, carry: Carry): CarryDocument {
  const until = new Date(carry.until);
  const facts = carry.facts.map(({ ledger, platform, epoch, hour, counts }): CarryDocument['facts'][number] => {
    const { input, output, cache_read, cache_write } = counts;
    return { ledger, platform, epoch, hour, counts: [input, output, cache_read, cache_write] };
  });
  return { _id: operator, until, facts, checksum: checksumOf(operator, until, facts) };
}

function factOf({ counts, ...place }: CarryDocument['facts'][number]): UsageFact {
  const [input, output, cache_read, cache_write] = counts;
  return { ...place, counts: { input, output, cache_read, cache_write } };
}

function read({ _id, until, facts, checksum }: CarryDocument): FoundCarry {
  if (checksumOf(_id, until, facts) !== checksum) return { kind: 'damaged' };
  return { kind: 'carry', carry: { until: until.getTime(), facts: facts.map(factOf) }, checksum };
}

/** Carry marks, each with a checksum: the log that would prove them is gone. */
export function createCarries({ carries }: Pick<Collections, 'carries'>) {
  return {
    async find(operator: number): Promise<FoundCarry> {
      const found = await carries.findOne({ _id: operator });
      return found === null ? { kind: 'none' } : read(found);
    },

    /** Those of several operators; who has none is left out. */
    async findAll(operators: readonly number[]): Promise<ReadonlyMap<number, FoundCarry>> {
      const found = await carries.find({ _id: { $in: [...operators] } }, inOneReply(operators)).toArray();
      return new Map(found.map((document) => [document._id, read(document)]));
    },

    /** Writes carries of operators that have none. */
    async insert(carriesOf: ReadonlyMap<number, Carry>): Promise<void> {
      const documents = [...carriesOf].map(([operator, carry]) => documentOf(operator, carry));
      if (documents.length > 0) await carries.insertMany(documents, DURABLE);
    },

    /** Writes a carry in the place of the one with that checksum (null: of none); false when another is there. */
    async replace(operator: number, former: string | null, carry: Carry): Promise<boolean> {
      const document = documentOf(operator, carry);
      if (former === null) return insertUnlessTaken(() => carries.insertOne(document, DURABLE));
      const { matchedCount } = await carries.replaceOne({ _id: operator, checksum: former }, document, DURABLE);
      return matchedCount === 1;
    },

    /** What an operator's carry says it holds, damaged or not; 0 without one. */
    async until(operator: number): Promise<number> {
      return (await carries.findOne({ _id: operator }, { projection: { until: 1 } }))?.until.getTime() ?? 0;
    },

    /** Writes a carry, whatever is there. */
    async overwrite(operator: number, carry: Carry): Promise<void> {
      await carries.replaceOne({ _id: operator }, documentOf(operator, carry), { upsert: true, ...DURABLE });
    },

    async erase(operator: number): Promise<void> {
      await carries.deleteOne({ _id: operator }, DURABLE);
    },
  };
}
