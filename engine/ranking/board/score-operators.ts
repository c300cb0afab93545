import { WINDOW_COUNT, type YieldChange, type YieldTable } from '../core/board/index.ts';
import { type YieldOf, yieldUnder } from '../core/score.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { windowScores } from '../read/window-scores.ts';
import { forEachConcurrent } from '../storage/for-each-concurrent.ts';
import type { OperatorStore, OperatorSummary, TotalsBatch } from '../storage/operator-store.ts';
import { writeYields } from './operator-yields.ts';

/** Records read by one command: enough for its own cost to be small, few enough to score some while others are found. */
const RECORDS_A_READ = 500;
/** Reads under way at once. */
const READS_AT_ONCE = 2;

/**
 * Scores the present records of operators; answers their Yields in the table and now, changed or not, in no particular
 * order. Operators without a record, such as numbers that were never given away, are unranked.
 */
export async function scoreOperators(
  store: Pick<OperatorStore, 'totalsOf'>,
  table: YieldTable,
  methodology: Methodology,
  operators: ReadonlySet<number>,
): Promise<YieldChange[]> {
  const yieldOf = yieldUnder(methodology);
  const changes: YieldChange[] = [];
  await forEachConcurrent(readsOf([...operators]), READS_AT_ONCE, async (numbers) => {
    const batch = await store.totalsOf(numbers);
    for (const change of changesOf(numbers, batch, table, yieldOf)) changes.push(change);
  });
  return changes;
}

/** The same of a record that was read already. */
export function changeOf(
  { operator, listed, totals }: OperatorSummary,
  table: YieldTable,
  methodology: Methodology,
): YieldChange {
  const after = new Float64Array(WINDOW_COUNT).fill(Number.NaN);
  if (listed) {
    for (const [window, score] of windowScores(totals, methodology).entries())
      after[window] = score?.yield_ ?? Number.NaN;
  }
  return { operator, before: table.of(operator).slice(), after };
}

function* readsOf(numbers: readonly number[]): Generator<readonly number[]> {
  for (let first = 0; first < numbers.length; first += RECORDS_A_READ) {
    yield numbers.slice(first, first + RECORDS_A_READ);
  }
}

function* changesOf(
  numbers: readonly number[],
  batch: TotalsBatch,
  table: YieldTable,
  yieldOf: YieldOf,
): Generator<YieldChange> {
  const indices = new Map(Array.from(batch.operators, (operator, index) => [operator, index]));
  for (const operator of numbers) {
    const after = new Float64Array(WINDOW_COUNT).fill(Number.NaN);
    const index = indices.get(operator);
    if (index !== undefined) writeYields(batch, index, yieldOf, after, 0);
    yield { operator, before: table.of(operator).slice(), after };
  }
}
