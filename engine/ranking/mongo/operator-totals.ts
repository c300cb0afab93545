import { doublesOf } from './binary.ts';
import type { Collections } from './collections.ts';
import type { OperatorDocument } from './documents.ts';

const TOTALS = { listed: 1, totals: 1 } as const;
type TotalsDocument = Pick<OperatorDocument, '_id' | keyof typeof TOTALS>;

/** Window totals of one operator, without names. */
export interface OperatorTotals {
  readonly operator: number;
  /** False also for those that were erased. */
  readonly listed: boolean;
  /** Four counts for each window. */
  readonly totals: Float64Array;
}

/** Reads of many operators that need nothing but their totals. */
export function createOperatorTotals({ operators }: Pick<Collections, 'operators'>) {
  return {
    /** The operators numbered from `from` to below `until` in the order of their numbers, at most `limit`. */
    async totalsFrom(from: number, until: number, limit: number): Promise<readonly OperatorTotals[]> {
      const options = { projection: TOTALS, sort: { _id: 1 }, limit, batchSize: limit } as const;
      const found = operators.find<TotalsDocument>({ _id: { $gte: from, $lt: until } }, options);
      return (await found.toArray()).map(totalsOf);
    },

    /** Those of the operators that exist, in no particular order. */
    async totalsOf(numbers: readonly number[]): Promise<readonly OperatorTotals[]> {
      const options = { projection: TOTALS, batchSize: numbers.length + 1 };
      const found = operators.find<TotalsDocument>({ _id: { $in: [...numbers] } }, options);
      return (await found.toArray()).map(totalsOf);
    },
  };
}

function totalsOf({ _id, listed, totals }: TotalsDocument): OperatorTotals {
  return { operator: _id, listed, totals: doublesOf(totals) };
}
