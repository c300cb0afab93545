import type { Connection } from '../../../engine/mongo/index.ts';
import type { CounterSeries } from '../../../engine/ranking/core/operator-state/index.ts';
import { encodeState } from '../../../engine/ranking/storage/state-codec.ts';
import { totalsOfRecord } from './record-counts.ts';

const RECORDS_A_COMMAND = 2_000;
/** Commands under way at once: the next one is made while the store takes the last. */
const COMMANDS_AT_ONCE = 3;
const DAY_MS = 24 * 3_600_000;
/** Different series of marks; a record has one of them. */
const SERIES = 64;

/** What seeded records have. */
export interface RecordShape {
  /** Marks of each. */
  readonly samples: number;
  /** One in so many is small (`totalsOfRecord`); 0 for none. */
  readonly smallEvery?: number;
}

/** The codename of the n-th record. */
export function benchCodename(index: number): string {
  return `bench-operator-${String(index).padStart(8, '0')}`;
}

/**
 * Fills the collection of operators with records 1 to `records`: raw documents of the shape that folds write, because
 * folding a million of them would take longer than what is measured. Each also has its totals as plain numbers (`plain`),
 * before the marks, for whoever cannot read packed ones.
 */
export async function seedRecords(
  connection: Connection,
  records: number,
  { samples, smallEvery = 0 }: RecordShape,
): Promise<void> {
  const operators = connection.collection<{ _id: number }>('operators');
  const series = Array.from({ length: SERIES }, (_, index) => seriesOf(index, samples));
  const at = new Date(Date.now() - DAY_MS);
  // The healer would find them all missing on the board, and list them: it has been here.
  await connection
    .collection<{ _id: string; value: string }>('progress')
    .insertOne({ _id: 'reconcile.operators_from', value: String(Date.now()) });
  await connection.collection<{ _id: string; last: number }>('sequences').insertOne({ _id: 'operator', last: records });
  const underWay: Promise<unknown>[] = [];
  for (let first = 1; first <= records; first += RECORDS_A_COMMAND) {
    const length = Math.min(RECORDS_A_COMMAND, records - first + 1);
    const documents = Array.from({ length }, (_, offset) => recordOf(first + offset, smallEvery, series, at));
    underWay.push(operators.insertMany(documents, { ordered: false, writeConcern: { w: 1, j: false } }));
    if (underWay.length === COMMANDS_AT_ONCE) await underWay.shift();
  }
  await Promise.all(underWay);
  // Whoever is measured first must not pay for writing them to disk.
  await connection.db?.admin().command({ fsync: 1 });
}

function seriesOf(index: number, samples: number): CounterSeries {
  const hours = Uint32Array.from({ length: samples }, (_, mark) => 480_000 + index + 7 * mark);
  return { hours, counts: Float64Array.from({ length: samples * 4 }, (_, at) => (at + 1) * (index + 1) * 1_234.5) };
}

function recordOf(index: number, smallEvery: number, series: readonly CounterSeries[], at: Date) {
  const totals = totalsOfRecord(index, smallEvery);
  const platforms = Array.from({ length: 4 }, () => 'claude-code');
  const stream = { ledger: 'ledger-1', platform: 'claude-code', epoch: 0, series: series[index % SERIES]! };
  return {
    _id: index,
    codename: benchCodename(index),
    display_name: null,
    listed: true,
    revision: index.toString(36).padStart(12, '0'),
    plain: [...totals],
    ...encodeState({ hour: 0, totals, platforms, nextDue: null, streams: [stream] }),
    created_at: at,
    amended_at: at,
  };
}
