import { naiveYields } from '../naive-scores.ts';

/** Best entries per window for comparing leaderboards. */
const BEST = 100;

export interface Entry {
  readonly operator: number;
  readonly yield_: number;
}

/** One window of the records without submissions, ranked by definition. */
export interface NaiveWindow {
  /** By operator number; NaN: unranked. */
  readonly yields: Float64Array;
  /** Yields of ranked operators, ascending. */
  readonly sorted: Float64Array;
  readonly best: readonly Entry[];
}

/** The windows of all records without submissions under a methodology. */
export type NaivePopulation = (methodology: number) => readonly NaiveWindow[];

/** The order of a board: by Yield, then by operator number. */
export function inBoardOrder(one: Entry, other: Entry): number {
  return other.yield_ - one.yield_ || one.operator - other.operator;
}

export function naivePopulation(records: number, smallEvery: number): NaivePopulation {
  const known = new Map<number, readonly NaiveWindow[]>();
  return (methodology) => {
    const made = known.get(methodology) ?? naiveYields(methodology, records, smallEvery).map(windowOf);
    known.set(methodology, made);
    return made;
  };
}

function windowOf(yields: Float64Array): NaiveWindow {
  const sorted = yields.filter((yield_) => !Number.isNaN(yield_)).sort();
  const least = sorted[Math.max(0, sorted.length - BEST)] ?? 0;
  const best: Entry[] = [];
  for (const [operator, yield_] of yields.entries()) if (yield_ >= least) best.push({ operator, yield_ });
  return { yields, sorted, best: best.sort(inBoardOrder) };
}

/** Number of values greater than `than`, in ascending values. */
export function countGreater(values: Float64Array, than: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! > than) high = middle;
    else low = middle + 1;
  }
  return values.length - low;
}
