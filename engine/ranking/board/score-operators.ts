import { makeSegment, WINDOW_COUNT, type YieldChange, YieldTable } from '../core/board/index.ts';
import { rowStateUnder, scoreRecord } from '../core/score-record.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { forEachConcurrent, steps } from '../storage/for-each-concurrent.ts';
import type { Operators } from '../storage/held-rows.ts';
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
  stores: Pick<Stores, 'operators' | 'heldRows'>,
  table: YieldTable,
  methodology: Methodology,
  operators: ReadonlySet<number>,
): Promise<Scored> {
  const changes: YieldChange[] = [];
  let heldChanged = false;
  const all = [...operators].sort((a, b) => a - b);
  await forEachConcurrent(steps(0, all.length, RECORDS_PER_READ), CONCURRENT_READS, async (first) => {
    const numbers = all.slice(first, first + RECORDS_PER_READ);
    const read = () => stores.operators.totalsOf(numbers);
    const { batch, settled, ...scored } = await scoreRows(stores, methodology, { $in: numbers }, read);
    heldChanged ||= scored.heldChanged;
    let index = 0;
    for (const operator of numbers) {
      const isThere = batch.operators[index] === operator;
      const after = isThere ? settled.subarray(index * WINDOW_COUNT, ++index * WINDOW_COUNT) : UNRANKED;
      changes.push({ operator, before: table.of(operator), after });
    }
    if (index !== batch.operators.length) throw new Error('records were not read in order of their numbers');
  });
  return { changes, heldChanged };
}

/** Scores the records of operators, and stores which of their rows are held. */
export async function scoreRows(
  { heldRows }: Pick<Stores, 'heldRows'>,
  methodology: Methodology,
  operators: Operators,
  read: () => Promise<TotalsBatch>,
) {
  const before = await heldRows.of(methodology.id, operators);
  const scored = scoreBatch(await read(), methodology);
  return { ...scored, heldChanged: await heldRows.replace(methodology.id, before, scored.held) };
}

/** The Yields of a batch, `WINDOW_COUNT` for each operator and NaN where a window is not numbered, and those of held rows by operator. */
export function scoreBatch(batch: TotalsBatch, methodology: Methodology) {
  const stateOf = rowStateUnder(methodology);
  const settled = new Float64Array(batch.operators.length * WINDOW_COUNT).fill(Number.NaN);
  const held = new Map<number, Float64Array>();
  for (const [index, operator] of batch.operators.entries()) {
    if (batch.listed[index] !== 1) continue;
    for (let window = 0; window < WINDOW_COUNT; window++) {
      const { yield_, state } = stateOf(judgedWindow(batch, index, window));
      if (state === 'settled') settled[index * WINDOW_COUNT + window] = yield_;
      if (state !== 'held' || Number.isNaN(yield_)) continue;
      const yields = held.get(operator) ?? new Float64Array(WINDOW_COUNT).fill(Number.NaN);
      yields[window] = yield_;
      held.set(operator, yields);
    }
  }
  return { batch, settled, held };
}

const UNRANKED = new Float64Array(WINDOW_COUNT).fill(Number.NaN);

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
  stores: Pick<Stores, 'operators' | 'heldRows'>,
  methodology: Methodology,
): Promise<void> {
  const last = (await stores.operators.highestNumber()) ?? 0;
  for (let from = 1; from <= last; from += RECORDS_PER_SCAN) {
    const until = from + RECORDS_PER_SCAN;
    const read = () => stores.operators.totalsBetween(from, until);
    await scoreRows(stores, methodology, { $gte: from, $lt: until }, read);
  }
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
