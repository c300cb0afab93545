import { statisticsOf } from '../../integrity/index.ts';
import { makeSegment, WINDOW_COUNT, type YieldChange, YieldTable } from '../core/board/index.ts';
import { scoreRecord, type YieldsWriter, yieldsWriter } from '../core/score-record.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { forEachConcurrent, steps } from '../storage/for-each-concurrent.ts';
import type { OperatorStore, OperatorSummary } from '../storage/operators.ts';
import { TOTALS_NUMBERS, type TotalsBatch } from '../storage/totals-batch.ts';

/** Records per query: enough to amortise its cost, few enough to score some while the store finds others. */
const RECORDS_PER_READ = 500;
const CONCURRENT_READS = 2;
/** Records per query when all are scored. */
const RECORDS_PER_SCAN = 5_000;

/**
 * Scores the current records of operators; returns their Yields in the table and now, changed or not, in unspecified order.
 * Operators without a record, such as unassigned numbers, are unranked. `before` holds until the next `apply` of the table.
 */
export async function scoreOperators(
  store: Pick<OperatorStore, 'totalsOf'>,
  table: YieldTable,
  methodology: Methodology,
  operators: ReadonlySet<number>,
): Promise<YieldChange[]> {
  const write = yieldsWriter(methodology);
  const changes: YieldChange[] = [];
  const all = [...operators].sort((a, b) => a - b);
  await forEachConcurrent(steps(0, all.length, RECORDS_PER_READ), CONCURRENT_READS, async (first) => {
    const numbers = all.slice(first, first + RECORDS_PER_READ);
    const batch = await store.totalsOf(numbers, methodology);
    const statistics = statisticsOf(batch.totals);
    let index = 0;
    for (const operator of numbers) {
      const after = new Float64Array(WINDOW_COUNT).fill(Number.NaN);
      if (batch.operators[index] === operator) writeYields(batch, statistics, index++, write, after, 0);
      changes.push({ operator, before: table.of(operator), after });
    }
    if (index !== batch.operators.length) throw new Error('records were not read in order of their numbers');
  });
  return changes;
}

/** `scoreOperators` for a record that is already read. */
export function changeOf(summary: OperatorSummary, table: YieldTable, methodology: Methodology): YieldChange {
  const { operator, listed } = summary;
  const after = new Float64Array(WINDOW_COUNT).fill(Number.NaN);
  if (listed) {
    for (const [window, { score }] of scoreRecord(summary, methodology).entries())
      after[window] = score?.yield_ ?? Number.NaN;
  }
  return { operator, before: table.of(operator), after };
}

/** The Yields of all records, in the form of `buildBaseRun`. */
export async function scoreAllOperators(
  store: Pick<OperatorStore, 'allSummaries'>,
  methodology: Methodology,
): Promise<Float64Array> {
  const table = new YieldTable(new Float64Array(0));
  for await (const summaries of store.allSummaries(RECORDS_PER_SCAN)) {
    table.apply(makeSegment(summaries.map((summary) => changeOf(summary, table, methodology))));
  }
  return table.toArray();
}

/** Writes the Yields of the operator at `index`, one per window, into `yields` at `at`; NaN where it is unranked. */
export function writeYields(
  { listed, totals, findings, cleared }: TotalsBatch,
  statistics: Float32Array,
  index: number,
  write: YieldsWriter,
  yields: Float64Array,
  at: number,
): void {
  if (listed[index] === 1) {
    write(totals, statistics, index * TOTALS_NUMBERS, findings[index]!, cleared[index]!, yields, at);
  } else {
    yields.fill(Number.NaN, at, at + WINDOW_COUNT);
  }
}
