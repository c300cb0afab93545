import { shownDisplayName } from '../../contract/index.ts';
import { codenameKey } from '../../contract/signing/index.ts';
import { coalesce } from '../../mongo/index.ts';
import type { Collections } from './collections.ts';
import type { OperatorDocument } from './documents.ts';
import { singleBatch } from './single-batch.ts';
import { decodePlatforms, decodeTotals } from './state-codec.ts';

/** An operator's names. The codename is empty after erasure. */
export interface OperatorNames {
  readonly operator: number;
  readonly codename: string;
  readonly displayName: string | null;
  readonly listed: boolean;
}

/** Names and window totals, without samples. */
export interface OperatorSummary extends OperatorNames {
  readonly totals: Float64Array;
  readonly platforms: readonly (string | null)[];
}

const NAMES = { codename: 1, display_name: 1, listed: 1 } as const;
type NamesDocument = Pick<OperatorDocument, '_id' | keyof typeof NAMES>;

const SUMMARY = { ...NAMES, totals: 1, platforms: 1 } as const;
type SummaryDocument = Pick<OperatorDocument, '_id' | keyof typeof SUMMARY>;

function namesOf({ _id, codename, display_name, listed }: NamesDocument): OperatorNames {
  return {
    operator: _id,
    codename: codename ?? '',
    displayName: shownDisplayName(display_name),
    listed: listed && codename !== undefined,
  };
}

function summaryOf(document: SummaryDocument): OperatorSummary {
  return {
    ...namesOf(document),
    totals: decodeTotals(document.totals),
    platforms: decodePlatforms(document.platforms),
  };
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

    /** One operator's names; concurrent calls share one command. */
    names: coalesce(async (numbers: readonly number[]) => {
      const options = { projection: NAMES, ...singleBatch(numbers) };
      const found = operators.find<NamesDocument>({ _id: { $in: [...numbers] } }, options);
      return new Map((await found.toArray()).map((document) => [document._id, namesOf(document)]));
    }),

    /** The summaries of existing operators, unordered. Erased ones have `listed: false`. */
    async summaries(numbers: readonly number[]): Promise<readonly OperatorSummary[]> {
      const options = { projection: SUMMARY, ...singleBatch(numbers) };
      const found = operators.find<SummaryDocument>({ _id: { $in: [...numbers] } }, options);
      return (await found.toArray()).map(summaryOf);
    },

    /** The names of operators with numbers in [number, until), in order of number, at most `limit`. */
    async namesFrom(number: number, until: number, limit: number): Promise<readonly OperatorNames[]> {
      const options = { projection: NAMES, sort: { _id: 1 }, limit, batchSize: limit } as const;
      const found = operators.find<NamesDocument>({ _id: { $gte: number, $lt: until } }, options);
      return (await found.toArray()).map(namesOf);
    },

    /** Estimated number of operators, erased ones included. */
    async count(): Promise<number> {
      return operators.estimatedDocumentCount();
    },

    /** The highest operator number; null without operators. */
    async highestNumber(): Promise<number | null> {
      const found = await operators.findOne<Pick<OperatorDocument, '_id'>>(
        {},
        { projection: { _id: 1 }, sort: { _id: -1 } },
      );
      return found === null ? null : found._id;
    },

    /** The summaries of operators from `number` on, in order of number, at most `limit`. */
    async from(number: number, limit: number): Promise<readonly OperatorSummary[]> {
      const options = { projection: SUMMARY, sort: { _id: 1 }, limit, batchSize: limit } as const;
      const found = operators.find<SummaryDocument>({ _id: { $gte: number } }, options);
      return (await found.toArray()).map(summaryOf);
    },

    /**
     * Operators created or amended in [from, until), in that order, in batches of `batchSize`; applying a snapshot batch does
     * not count. One index scan: any number of them may share a millisecond.
     */
    async *amendedBetween(from: Date, until: Date, batchSize: number): AsyncGenerator<readonly OperatorSummary[]> {
      const found = operators.find<SummaryDocument>(
        { amended_at: { $gte: from, $lt: until } },
        { projection: SUMMARY, sort: { amended_at: 1 }, batchSize },
      );
      try {
        while (await found.hasNext()) yield found.readBufferedDocuments().map(summaryOf);
      } finally {
        await found.close();
      }
    },
  };
}

/**
 * Listed codenames before and after one in name order, at most `each` per side. The codenames with the longest common prefix
 * are among its neighbours.
 */
export async function codenamesAround(
  { operators }: Pick<Collections, 'operators'>,
  codename: string,
  each: number,
): Promise<string[]> {
  const key = codenameKey(codename);
  const side = async (range: { $gte: string } | { $lt: string }, direction: 1 | -1): Promise<string[]> => {
    const found = operators.find<{ codename: string }>(
      { codename: range, listed: true },
      { projection: { codename: 1 }, sort: { codename: direction }, limit: each },
    );
    return (await found.toArray()).map((document) => document.codename);
  };
  return (await Promise.all([side({ $lt: key }, -1), side({ $gte: key }, 1)])).flat();
}
