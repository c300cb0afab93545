import { codenameKey } from '../../contract/signing/index.ts';
import { coalesce } from '../../mongo/index.ts';
import type { Standing } from '../core/standing/index.ts';
import { doublesOf } from './binary.ts';
import type { Collections } from './collections.ts';
import type { OperatorDocument } from './documents.ts';
import { decodeStanding } from './standing-codec.ts';

/** What boards and profiles need of an operator: names and window totals, without the marks. */
export interface OperatorSummary {
  readonly operator: number;
  readonly codename: string;
  readonly displayName: string | null;
  readonly listed: boolean;
  readonly totals: Float64Array;
  readonly platforms: readonly (string | null)[];
}

const SUMMARY = { codename: 1, display_name: 1, listed: 1, totals: 1, platforms: 1 } as const;
type SummaryDocument = Pick<OperatorDocument, '_id' | keyof typeof SUMMARY>;

const STANDING = { revision: 1, hour: 1, totals: 1, platforms: 1, next_due: 1, streams: 1 } as const;
type StandingDocument = Pick<OperatorDocument, '_id' | keyof typeof STANDING>;

/** A first reply holds 101 documents unless more are asked for, and what is left costs a second command. */
function inOneReply(keys: readonly number[]): { readonly batchSize: number } {
  return { batchSize: keys.length + 1 };
}

function summaryOf(document: SummaryDocument): OperatorSummary {
  return {
    operator: document._id,
    codename: document.codename ?? '',
    displayName: document.display_name,
    listed: document.listed && document.codename !== undefined,
    totals: doublesOf(document.totals),
    platforms: document.platforms,
  };
}

/** A standing as read, with the revision that a write on it is conditional on. */
export interface LoadedStanding {
  readonly revision: string;
  readonly standing: Standing;
}

/** Reads operators' public records. */
export function createOperatorReads({ operators }: Pick<Collections, 'operators'>) {
  return {
    async byCodename(codename: string): Promise<OperatorSummary | null> {
      const found = await operators.findOne<SummaryDocument>(
        { codename: codenameKey(codename) },
        { projection: SUMMARY },
      );
      return found === null ? null : summaryOf(found);
    },

    /** One operator's summary; those that are asked for at once are read by one command. */
    summary: coalesce(async (numbers: readonly number[]) => {
      const options = { projection: SUMMARY, ...inOneReply(numbers) };
      const found = operators.find<SummaryDocument>({ _id: { $in: [...numbers] } }, options);
      return new Map((await found.toArray()).map((document) => [document._id, summaryOf(document)]));
    }),

    /** The summaries of those that exist, in no particular order. Erased ones come with `listed: false`. */
    async summaries(numbers: readonly number[]): Promise<readonly OperatorSummary[]> {
      const options = { projection: SUMMARY, ...inOneReply(numbers) };
      const found = operators.find<SummaryDocument>({ _id: { $in: [...numbers] } }, options);
      return (await found.toArray()).map(summaryOf);
    },

    /** The summaries of operators from a number on, in the order of their numbers, at most `limit`. */
    async from(number: number, limit: number): Promise<readonly OperatorSummary[]> {
      const options = { projection: SUMMARY, sort: { _id: 1 }, limit, batchSize: limit } as const;
      const found = operators.find<SummaryDocument>({ _id: { $gte: number } }, options);
      return (await found.toArray()).map(summaryOf);
    },

    /** The standings of those operators that exist and are not erased. */
    async standings(numbers: readonly number[]): Promise<Map<number, LoadedStanding>> {
      const options = { projection: STANDING, ...inOneReply(numbers) };
      const found = operators.find<StandingDocument>(
        { _id: { $in: [...numbers] }, erased_at: { $exists: false } },
        options,
      );
      const documents = await found.toArray();
      return new Map(
        documents.map((document) => [
          document._id,
          { revision: document.revision, standing: decodeStanding(document) },
        ]),
      );
    },

    /** The present revisions of those operators that exist. */
    async revisions(numbers: readonly number[]): Promise<Map<number, string>> {
      const options = { projection: { revision: 1 }, ...inOneReply(numbers) };
      const found = operators.find({ _id: { $in: [...numbers] } }, options);
      return new Map((await found.toArray()).map(({ _id, revision }) => [_id, revision]));
    },

    /** Numbers of operators whose totals move by themselves at or before `hour`, at most `limit`. */
    async due(hour: number, limit: number): Promise<number[]> {
      const found = operators.find(
        { next_due: { $gt: 0, $lte: hour } },
        { projection: { _id: 1 }, limit, batchSize: limit, sort: { next_due: 1 } },
      );
      return (await found.toArray()).map(({ _id }) => _id);
    },

    /** Operators whose record changed in [from, until), in the order of the change, at most `limit`. */
    async changedBetween(
      from: Date,
      until: Date,
      limit: number,
    ): Promise<{ summaries: OperatorSummary[]; last: Date }> {
      const found = operators.find<SummaryDocument & { changed_at: Date }>(
        { changed_at: { $gte: from, $lt: until } },
        { projection: { ...SUMMARY, changed_at: 1 }, sort: { changed_at: 1 }, limit, batchSize: limit },
      );
      const documents = await found.toArray();
      return { summaries: documents.map(summaryOf), last: documents.at(-1)?.changed_at ?? until };
    },
  };
}
