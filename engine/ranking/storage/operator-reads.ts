import { shownDisplayName } from '../../contract/index.ts';
import { codenameKey } from '../../contract/signing/index.ts';
import { coalesce } from '../../mongo/index.ts';
import { doublesOf } from './binary.ts';
import type { Collections } from './collections.ts';
import type { OperatorDocument } from './documents.ts';
import { singleBatch } from './single-batch.ts';
import { decodePlatforms } from './state-codec.ts';

/** How an operator is called: the codename is empty once it was erased. */
export interface OperatorNames {
  readonly operator: number;
  readonly codename: string;
  readonly displayName: string | null;
  readonly listed: boolean;
}

/** What boards and profiles need of an operator: names and window totals, without the marks. */
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
    totals: doublesOf(document.totals),
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

    /** One operator's names; those that are asked for at once are read by one command. */
    names: coalesce(async (numbers: readonly number[]) => {
      const options = { projection: NAMES, ...singleBatch(numbers) };
      const found = operators.find<NamesDocument>({ _id: { $in: [...numbers] } }, options);
      return new Map((await found.toArray()).map((document) => [document._id, namesOf(document)]));
    }),

    /** The summaries of those that exist, in no particular order. Erased ones come with `listed: false`. */
    async summaries(numbers: readonly number[]): Promise<readonly OperatorSummary[]> {
      const options = { projection: SUMMARY, ...singleBatch(numbers) };
      const found = operators.find<SummaryDocument>({ _id: { $in: [...numbers] } }, options);
      return (await found.toArray()).map(summaryOf);
    },

    /** The names of operators numbered from `number` to below `until`, in the order of their numbers, at most `limit`. */
    async namesFrom(number: number, until: number, limit: number): Promise<readonly OperatorNames[]> {
      const options = { projection: NAMES, sort: { _id: 1 }, limit, batchSize: limit } as const;
      const found = operators.find<NamesDocument>({ _id: { $gte: number, $lt: until } }, options);
      return (await found.toArray()).map(namesOf);
    },

    /** About how many there are and were. */
    async count(): Promise<number> {
      return operators.estimatedDocumentCount();
    },

    /** The highest number that an operator has; null while there are none. */
    async highestNumber(): Promise<number | null> {
      const found = await operators.findOne<Pick<OperatorDocument, '_id'>>(
        {},
        { projection: { _id: 1 }, sort: { _id: -1 } },
      );
      return found === null ? null : found._id;
    },

    /** The summaries of operators from a number on, in the order of their numbers, at most `limit`. */
    async from(number: number, limit: number): Promise<readonly OperatorSummary[]> {
      const options = { projection: SUMMARY, sort: { _id: 1 }, limit, batchSize: limit } as const;
      const found = operators.find<SummaryDocument>({ _id: { $gte: number } }, options);
      return (await found.toArray()).map(summaryOf);
    },

    /**
     * Operators created or amended in [from, until), in the order of that, in batches of `batchSize`. Folds of a group do not
     * count. One walk along the index: any number may have been written in the same millisecond.
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
