import { makeSegment, WINDOW_COUNT, type YieldChange, YieldTable } from '../core/board/index.ts';
import { scoreRecord, type YieldInState, yieldInState } from '../core/score-record.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { forEachConcurrent, steps } from '../storage/for-each-concurrent.ts';
import type { OperatorStore, OperatorSummary } from '../storage/operators.ts';
import type { Stores } from '../storage/stores.ts';
import { judgedWindow, type TotalsBatch } from '../storage/totals-batch.ts';

/** Records per query: enough to amortise its cost, few enough to score some while the store finds others. */
const RECORDS_PER_READ = 500;
const CONCURRENT_READS = 2;
/** Records per query when all are scored. */
const RECORDS_PER_SCAN = 5_000;

/** What scoring operators found. */
interface Scored {
  readonly changes: readonly YieldChange[];
  /** Whether a held row came, changed or went. */
  readonly heldChanged: boolean;
}

/**
 * Scores the current records of operators, and stores which of their rows are held; returns their Yields in the table and now, changed
 * or not, in unspecified order. Operators without a record, such as unassigned numbers, are unranked. `before` holds until the next
 * `apply` of the table.
 */
export async function scoreOperators(
  { operators: store, heldRows }: Pick<Stores, 'operators' | 'heldRows'>,
  table: YieldTable,
  methodology: Methodology,
  operators: ReadonlySet<number>,
): Promise<Scored> {
  const settledOf = yieldInState(methodology, 'settled');
  const changes: YieldChange[] = [];
  let heldChanged = false;
  const all = [...operators].sort((a, b) => a - b);
  await forEachConcurrent(steps(0, all.length, RECORDS_PER_READ), CONCURRENT_READS, async (first) => {
    const numbers = all.slice(first, first + RECORDS_PER_READ);
    const batch = await store.totalsOf(numbers);
    let index = 0;
    for (const operator of numbers) {
      const after = new Float64Array(WINDOW_COUNT).fill(Number.NaN);
      if (batch.operators[index] === operator) writeYields(batch, index++, settledOf, after, 0);
      changes.push({ operator, before: table.of(operator), after });
    }
    if (index !== batch.operators.length) throw new Error('records were not read in order of their numbers');
    const held = heldIn(batch, methodology);
    for (const operator of numbers) if (!held.has(operator)) held.set(operator, null);
    if (await heldRows.replace(methodology.id, held)) heldChanged = true;
  });
  return { changes, heldChanged };
}

/** The Yields of held rows by operator; null for operators without any. */
export function heldIn(batch: TotalsBatch, methodology: Methodology): Map<number, Float64Array | null> {
  const heldOf = yieldInState(methodology, 'held');
  return new Map(
    Array.from(batch.operators, (operator, index) => {
      const yields = new Float64Array(WINDOW_COUNT);
      writeYields(batch, index, heldOf, yields, 0);
      return [operator, yields.every(Number.isNaN) ? null : yields] as const;
    }),
  );
}

/** `scoreOperators` for a record that is already read. */
export function changeOf(summary: OperatorSummary, table: YieldTable, methodology: Methodology): YieldChange {
  const { operator, listed } = summary;
  const after = new Float64Array(WINDOW_COUNT).fill(Number.NaN);
  if (listed) {
    for (const [window, { score, row }] of scoreRecord(summary, methodology).entries()) {
      if (row === 'settled') after[window] = score!.yield_;
    }
  }
  return { operator, before: table.of(operator), after };
}

/** Stores which rows are held, of all operators. */
export async function storeAllHeld(
  { operators, heldRows }: Pick<Stores, 'operators' | 'heldRows'>,
  methodology: Methodology,
): Promise<void> {
  const last = (await operators.highestNumber()) ?? 0;
  for (let from = 1; from <= last; from += RECORDS_PER_SCAN) {
    const until = from + RECORDS_PER_SCAN;
    await storeHeld(heldRows, await operators.totalsBetween(from, until), methodology, from, until);
  }
}

/** Stores which rows of operators with numbers in [from, until) are held. */
export async function storeHeld(
  heldRows: Stores['heldRows'],
  batch: TotalsBatch,
  methodology: Methodology,
  from: number,
  until: number,
): Promise<void> {
  await heldRows.removeBetween(methodology.id, from, until);
  await heldRows.replace(
    methodology.id,
    new Map([...heldIn(batch, methodology)].filter(([, yields]) => yields !== null)),
  );
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

/** Writes the Yields of the operator at `index`, one per window, into `yields` at `at`; NaN where it is not numbered. */
export function writeYields(
  batch: TotalsBatch,
  index: number,
  yieldOf: YieldInState,
  yields: Float64Array,
  at: number,
): void {
  for (let window = 0; window < WINDOW_COUNT; window++) {
    yields[at + window] = batch.listed[index] === 1 ? yieldOf(judgedWindow(batch, index, window)) : Number.NaN;
  }
}
